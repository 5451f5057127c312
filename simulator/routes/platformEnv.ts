import type { HttpBindings } from "@hono/node-server";
import type { AgentJobStore } from "../agents/agentJobStore";
import type { FaultQueue } from "../faults/faultQueue";
import type { JobStore } from "../jobs/jobStore";
import type { LinkSigner } from "../links/linkSigner";
import type { ResolvedPlatformOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import type { PlatformOperation } from "../requests/operation";
import type { RequestLog } from "../requests/requestLog";

export interface RouteContextTypes {
  Bindings: HttpBindings;
  Variables: { operation: PlatformOperation };
}

export interface RouteDependencies {
  readonly settings: ResolvedPlatformOptions;
  readonly clock: PlatformClock;
  readonly jobs: JobStore;
  readonly agents: AgentJobStore;
  readonly links: LinkSigner;
  readonly faults: FaultQueue;
  readonly requests: RequestLog;
}
