export { ExportBundle, type ExportBundleArgs } from "./exportBundle";
export { type HelmValues, type HelmValuesArgs, helmValues } from "./helmValues";
export { StaticExport, type StaticExportArgs } from "./staticExport";
