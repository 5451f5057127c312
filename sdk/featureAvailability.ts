import { availabilityOf } from "../provider/functions/featureAvailability";

/** How a deployment of the platform is run. Air-gapped ones have no outbound network access. */
export type DeploymentType = "cloud" | "client-hosted" | "air-gapped";

/** `configurable` means that it depends on the environment's setup. */
export type Availability = "available" | "configurable" | "unavailable";

/** The features of a deployment ("Feature availability by deployment type" in the API text). */
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

/**
 * Returns the features that a deployment of this type offers. Sends nothing.
 * @param deploymentType `cloud`, `client-hosted` or `air-gapped`.
 * @throws for any other type, naming the three.
 */
export function featureAvailability(deploymentType: DeploymentType): FeatureAvailability {
  return availabilityOf(deploymentType);
}
