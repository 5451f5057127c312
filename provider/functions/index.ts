import { featureAvailability } from "./featureAvailability";
import type { FunctionDefinition } from "./function";
import { getAgentJob } from "./getAgentJob";
import { getStaticExport } from "./getStaticExport";
import { helmValues } from "./helmValues";

/** All functions, by name. */
export const functions: Readonly<Record<string, FunctionDefinition>> = {
  getStaticExport,
  getAgentJob,
  helmValues,
  featureAvailability,
};
