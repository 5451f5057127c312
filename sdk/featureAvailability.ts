/** How a deployment of the platform is run. Air-gapped ones have no outbound network access. */
export type DeploymentType = "cloud" | "client-hosted" | "air-gapped";

/** `configurable` means that it depends on the environment's setup. */
export type Availability = "available" | "configurable" | "unavailable";

/** What a deployment offers ("Feature availability by deployment type" in the API text). */
export interface FeatureAvailability {
  /** Search in the documentation. */
  documentationSearch: Availability;
  /** The assistant that answers readers' questions. */
  aiAssistant: Availability;
  /** Statistics of the visits. */
  webAnalytics: Availability;
  /** Requests to an API from its reference. */
  apiPlayground: Availability;
  /** The bundle of a static export. */
  staticExportBundle: Availability;
}

const table: Readonly<Record<DeploymentType, Readonly<FeatureAvailability>>> = {
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
};

/**
 * Which features a deployment of this type offers. Sends nothing.
 * @param deploymentType `cloud`, `client-hosted` or `air-gapped`.
 * @throws for any other type, naming the three.
 */
export function featureAvailability(deploymentType: DeploymentType): FeatureAvailability {
  return availabilityOf(deploymentType);
}

/** The same for any text, as a program of another language may give it. @internal */
export function availabilityOf(deploymentType: string): FeatureAvailability {
  const found = new Map(Object.entries(table)).get(deploymentType);
  if (found === undefined) {
    throw new Error(
      `featureAvailability: "${deploymentType}" is not a deployment type; the types are ${Object.keys(table).join(", ")}`,
    );
  }
  return { ...found };
}
