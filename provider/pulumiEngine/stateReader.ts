import type { StateReader } from "../status/heldState";
import { readPulumiState } from "./heldState";
import { pastStates } from "./pastStates";

export const pulumiReader: StateReader = {
  read: readPulumiState,
  past: pastStates,
  goBack: (jobId, stack) => `pulumi config set jobId ${jobId} --stack ${stack} && pulumi up --stack ${stack}`,
};
