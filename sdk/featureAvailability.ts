import { featureAvailabilityOf } from "../provider/functions/featureAvailability";

/** Where a deployment of the platform runs. An air-gapped one has no outbound network access. */
export type DeploymentType = "cloud" | "client-hosted" | "air-gapped";

/** `configurable`: the feature depends on the environment's setup. */
export type Availability = "available" | "configurable" | "unavailable";

/** The features of a deployment ("Feature availability by deployment type" in the API text). */
export interface FeatureAvailability {
  /** Search in the documentation. */
  documentationSearch: Availability;
  /** The assistant that answers readers' questions. */
  aiAssistant: Availability;
  /** Statistics of visits. */
  webAnalytics: Availability;
  /** A form on the pages of an API's reference that sends requests to this API. */
  apiPlayground: Availability;
  /** The bundle of a static export. */
  staticExportBundle: Availability;
}

/**
 * Returns which features a deployment of this type offers. Sends nothing.
 * @param deploymentType `cloud`, `client-hosted` or `air-gapped`.
 * @throws an error that names the three types, for any other type.
 */
export function featureAvailability(deploymentType: DeploymentType): FeatureAvailability {
  return featureAvailabilityOf(deploymentType);
}
