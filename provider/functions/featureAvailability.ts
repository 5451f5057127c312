import { textRule } from "../definitions/rules";
import { ArgumentError, defineFunction } from "./function";

type Availability = "available" | "configurable" | "unavailable";

/** The table "Feature availability by deployment type" of the API text. */
const table = {
  cloud: {
    documentationSearch: "available",
    aiAssistant: "available",
    webAnalytics: "available",
    apiPlayground: "available",
    staticExportBundle: "available",
  },
  "client-hosted": {
    documentationSearch: "configurable",
    aiAssistant: "configurable",
    webAnalytics: "configurable",
    apiPlayground: "available",
    staticExportBundle: "available",
  },
  "air-gapped": {
    documentationSearch: "unavailable",
    aiAssistant: "unavailable",
    webAnalytics: "unavailable",
    apiPlayground: "configurable",
    staticExportBundle: "available",
  },
} as const satisfies Record<string, Record<string, Availability>>;

/** @throws ArgumentError for a type that is not in the table. */
export function featureAvailabilityOf(deploymentType: string): Record<keyof typeof table.cloud, Availability> {
  const found = new Map(Object.entries(table)).get(deploymentType);
  if (found === undefined) {
    throw new ArgumentError(
      `featureAvailability: "${deploymentType}" is not a deployment type; the types are ${Object.keys(table).join(", ")}`,
    );
  }
  return { ...found };
}

export const featureAvailabilityFunction = defineFunction({
  name: "featureAvailability",
  inputs: { deploymentType: { rule: textRule, required: true } },
  call: ({ deploymentType }) => featureAvailabilityOf(deploymentType),
});
