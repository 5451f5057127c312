import type { HttpBindings } from "@hono/node-server";
import type { AgentStore } from "../agents/agentStore";
import type { FaultQueue } from "../faults/faultQueue";
import type { JobStore } from "../jobs/jobStore";
import type { LinkSigner } from "../links/linkSigner";
import type { ResolvedOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import type { PlatformOperation } from "../requests/operation";
import type { RequestLog } from "../requests/requestLog";

export interface PlatformEnv {
  Bindings: HttpBindings;
  Variables: { operation: PlatformOperation };
}

export interface PlatformParts {
  readonly settings: ResolvedOptions;
  readonly clock: PlatformClock;
  readonly jobs: JobStore;
  readonly agents: AgentStore;
  readonly links: LinkSigner;
  readonly faults: FaultQueue;
  readonly requests: RequestLog;
}
