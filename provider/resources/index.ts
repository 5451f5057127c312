import { agentMessageDefinition } from "../definitions/agentMessage";
import { bundleMirrorDefinition } from "../definitions/bundleMirror";
import { exportBundleDefinition } from "../definitions/exportBundle";
import { staticExportDefinition } from "../definitions/staticExport";
import { agentMessage as agentMessageLifecycle } from "./agentMessage";
import { bundleMirror as bundleMirrorLifecycle } from "./bundleMirror";
import { exportBundle as exportBundleLifecycle } from "./exportBundle";
import { bindLifecycle, type Resource } from "./resource";
import { staticExport as staticExportLifecycle } from "./staticExport";

const table = {
  StaticExport: bindLifecycle(staticExportDefinition, staticExportLifecycle),
  ExportBundle: bindLifecycle(exportBundleDefinition, exportBundleLifecycle),
  BundleMirror: bindLifecycle(bundleMirrorDefinition, bundleMirrorLifecycle),
  AgentMessage: bindLifecycle(agentMessageDefinition, agentMessageLifecycle),
};

export type ResourceName = keyof typeof table;

export const resources: Readonly<typeof table & Record<string, Resource>> = table;
