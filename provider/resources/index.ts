import { agentMessageDefinition } from "../definitions/agentMessage";
import { bundleMirrorDefinition } from "../definitions/bundleMirror";
import { exportBundleDefinition } from "../definitions/exportBundle";
import { staticExportDefinition } from "../definitions/staticExport";
import { agentMessageLifecycle } from "./agentMessage";
import { bundleMirrorLifecycle } from "./bundleMirror";
import { exportBundleLifecycle } from "./exportBundle";
import { bindLifecycle, type Resource } from "./resource";
import { staticExportLifecycle } from "./staticExport";

const table = {
  StaticExport: bindLifecycle(staticExportDefinition, staticExportLifecycle),
  ExportBundle: bindLifecycle(exportBundleDefinition, exportBundleLifecycle),
  BundleMirror: bindLifecycle(bundleMirrorDefinition, bundleMirrorLifecycle),
  AgentMessage: bindLifecycle(agentMessageDefinition, agentMessageLifecycle),
};

export type ResourceTypeName = keyof typeof table;

export const resources: Readonly<typeof table & Record<string, Resource>> = table;
