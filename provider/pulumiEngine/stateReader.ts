import type { StateReader } from "../status/heldState";
import { readPulumiState } from "./heldState";
import { pastRuns } from "./pastRuns";

export const pulumiReader: StateReader = {
  read: readPulumiState,
  past: pastRuns,
  goBack: (jobId, stack) => ({
    commands: [`pulumi config set jobId ${jobId} --stack ${stack}`, `pulumi up --stack ${stack}`],
    needs: '`jobId: new pulumi.Config().get("jobId")` in the StaticExport',
  }),
};
