import type { StateReader } from "../status/stackSnapshot";
import { pastRuns } from "./pastRuns";
import { readPulumiState } from "./stackSnapshot";

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
