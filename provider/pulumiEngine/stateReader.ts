import type { StateReader } from "../status/heldState";
import { readPulumiState } from "./heldState";
import { pastRuns } from "./pastRuns";

export const pulumiReader: StateReader = {
  read: readPulumiState,
  past: pastRuns,
  goBack(jobId, stack) {
    const chosen = stack === undefined ? "" : ` --stack ${stack}`;
    return {
      commands: [`pulumi config set jobId ${jobId}${chosen}`, `pulumi up${chosen}`],
      needs: '`jobId: new pulumi.Config().get("jobId")` in the StaticExport',
    };
  },
};
