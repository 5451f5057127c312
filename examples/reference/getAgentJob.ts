import { getAgentJobOutput } from "pulumi-docs-platform";

export const { status, prLink } = getAgentJobOutput({ jobId: "<agent job id>", projectId: "docs" });
