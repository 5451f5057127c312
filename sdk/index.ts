export { type AgentJobSource, AgentMessage, type AgentMessageArgs } from "./agentMessage";
export { BundleMirror, type BundleMirrorArgs } from "./bundleMirror";
export { ExportBundle, type ExportBundleArgs } from "./exportBundle";
export {
  type Availability,
  type DeploymentType,
  type FeatureAvailability,
  featureAvailability,
} from "./featureAvailability";
export { getAgentJob, getAgentJobOutput } from "./getAgentJob";
export { getStaticExport, getStaticExportOutput } from "./getStaticExport";
export { type HelmValuesArgs, helmValues, type MirroredBundle } from "./helmValues";
export type { GetAgentJobArgs, GetAgentJobResult, GetStaticExportArgs, GetStaticExportResult } from "./jobs";
export type { HelmValues } from "./plainHelmValues";
export { StaticExport, type StaticExportArgs } from "./staticExport";
export { writeValues } from "./writeValues";
