import { agentMessageLifecycle } from "../../provider/resources/agentMessage";
import { followAgentJob } from "../../provider/resources/agentWait";
import { bundleMirrorLifecycle } from "../../provider/resources/bundleMirror";
import { exportBundleLifecycle } from "../../provider/resources/exportBundle";
import { followExport } from "../../provider/resources/exportWait";
import type { Lifecycle, WriteOutcome } from "../../provider/resources/lifecycle";
import { staticExportLifecycle } from "../../provider/resources/staticExport";
import type { DocsPlatformError } from "../../provider/support/errors";

/** An error that contains the state to save, like an error of Pulumi's hosts. */
export class SavedFailure<State> extends Error {
  constructor(
    readonly id: string,
    readonly state: State,
    readonly reason: DocsPlatformError,
    /** True if Terraform's host shows the problem only as a warning. */
    readonly goesOn: boolean,
  ) {
    super(reason.message);
  }
}

async function stateOrThrow<State extends object>(
  working: Promise<WriteOutcome<State>>,
): Promise<{ id: string; state: State }> {
  const { id, state, problem, goesOn = false } = await working;
  if (problem !== undefined) {
    throw new SavedFailure(id, state, problem, goesOn);
  }
  return { id, state };
}

/** Changes a lifecycle: if `create` or `update` returns a problem, the new function throws a SavedFailure. */
function throwingLifecycle<Inputs, State extends object>(lifecycle: Lifecycle<Inputs, State>) {
  type All = Required<Lifecycle<Inputs, State>>;
  return {
    ...(lifecycle as All),
    create: (...given: Parameters<All["create"]>) => stateOrThrow(lifecycle.create(...given)),
    update: async (...given: Parameters<All["update"]>) => (await stateOrThrow(lifecycle.update(...given))).state,
  };
}

export const throwingLifecycles = {
  staticExport: throwingLifecycle(staticExportLifecycle),
  exportBundle: throwingLifecycle(exportBundleLifecycle),
  bundleMirror: throwingLifecycle(bundleMirrorLifecycle),
  agentMessage: throwingLifecycle(agentMessageLifecycle),
  followExport: async (...given: Parameters<typeof followExport>) => (await stateOrThrow(followExport(...given))).state,
  followAgentJob: async (...given: Parameters<typeof followAgentJob>) =>
    (await stateOrThrow(followAgentJob(...given))).state,
};
