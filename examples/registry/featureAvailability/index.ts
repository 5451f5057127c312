import * as docs from "pulumi-docs-platform-sdk";

const offered = docs.featureAvailabilityOutput({ deploymentType: "air-gapped" });

export const documentationSearch = offered.documentationSearch;
export const staticExportBundle = offered.staticExportBundle;
