import { featureAvailability } from "pulumi-docs-platform";

export const search = featureAvailability("air-gapped").documentationSearch; // "unavailable"
