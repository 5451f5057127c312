export { type AgentJobSource, AgentMessage, type AgentMessageArgs } from "./agentMessage";
export { BundleMirror, type BundleMirrorArgs } from "./bundleMirror";
export { ExportBundle, type ExportBundleArgs } from "./exportBundle";
export {
  type Availability,
  type DeploymentType,
  type FeatureAvailability,
  featureAvailability,
} from "./featureAvailability";
export { type GetAgentJobArgs, type GetAgentJobResult, getAgentJob, getAgentJobOutput } from "./getAgentJob";
export {
  type GetStaticExportArgs,
  type GetStaticExportResult,
  getStaticExport,
  getStaticExportOutput,
} from "./getStaticExport";
export { type HelmValues, type HelmValuesArgs, helmValues, type MirroredBundle } from "./helmValues";
export { StaticExport, type StaticExportArgs } from "./staticExport";
export { writeValues } from "./writeValues";
