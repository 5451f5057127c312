import { featureAvailabilityFunction } from "./featureAvailability";
import type { FunctionDefinition } from "./function";
import { getAgentJobFunction } from "./getAgentJob";
import { getStaticExportFunction } from "./getStaticExport";
import { helmValuesFunction } from "./helmValues";

export const functions: Readonly<Record<string, FunctionDefinition>> = {
  getStaticExport: getStaticExportFunction,
  getAgentJob: getAgentJobFunction,
  helmValues: helmValuesFunction,
  featureAvailability: featureAvailabilityFunction,
};
