import { agentMessage } from "../../provider/resources/agentMessage";
import { followAgentJob } from "../../provider/resources/agentWait";
import { bundleMirror } from "../../provider/resources/bundleMirror";
import { exportBundle } from "../../provider/resources/exportBundle";
import { followExport } from "../../provider/resources/exportWait";
import type { Lifecycle, Outcome } from "../../provider/resources/lifecycle";
import { staticExport } from "../../provider/resources/staticExport";
import type { DocsPlatformError } from "../../provider/support/errors";

/** A problem of an existing resource. It is thrown like on Pulumi's hosts: with the state that the engine saves. */
export class SavedFailure<State> extends Error {
  constructor(
    readonly id: string,
    readonly state: State,
    readonly reason: DocsPlatformError,
    /** True if Terraform's host only warns about it. */
    readonly goesOn: boolean,
  ) {
    super(reason.message);
  }
}

async function told<State extends object>(working: Promise<Outcome<State>>): Promise<{ id: string; state: State }> {
  const { id, state, problem, goesOn = false } = await working;
  if (problem !== undefined) {
    throw new SavedFailure(id, state, problem, goesOn);
  }
  return { id, state };
}

/** A lifecycle that throws the problem of an outcome. */
function throwing<Inputs, State extends object>(lifecycle: Lifecycle<Inputs, State>) {
  type All = Required<Lifecycle<Inputs, State>>;
  return {
    ...(lifecycle as All),
    create: (...given: Parameters<All["create"]>) => told(lifecycle.create(...given)),
    update: async (...given: Parameters<All["update"]>) => (await told(lifecycle.update(...given))).state,
  };
}

/** The lifecycles and the waits. They report results like a host. */
export const toldByHost = {
  staticExport: throwing(staticExport),
  exportBundle: throwing(exportBundle),
  bundleMirror: throwing(bundleMirror),
  agentMessage: throwing(agentMessage),
  followExport: async (...given: Parameters<typeof followExport>) => (await told(followExport(...given))).state,
  followAgentJob: async (...given: Parameters<typeof followAgentJob>) => (await told(followAgentJob(...given))).state,
};
