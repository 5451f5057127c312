import { agentMessage } from "../definitions/agentMessage";
import { bundleMirror } from "../definitions/bundleMirror";
import { exportBundle } from "../definitions/exportBundle";
import { staticExport } from "../definitions/staticExport";
import { agentMessage as agentMessageLifecycle } from "./agentMessage";
import { bundleMirror as bundleMirrorLifecycle } from "./bundleMirror";
import { exportBundle as exportBundleLifecycle } from "./exportBundle";
import { bindLifecycle, type Resource } from "./resource";
import { staticExport as staticExportLifecycle } from "./staticExport";

const table = {
  StaticExport: bindLifecycle(staticExport, staticExportLifecycle),
  ExportBundle: bindLifecycle(exportBundle, exportBundleLifecycle),
  BundleMirror: bindLifecycle(bundleMirror, bundleMirrorLifecycle),
  AgentMessage: bindLifecycle(agentMessage, agentMessageLifecycle),
};

export type ResourceName = keyof typeof table;

/** All resources, by name. */
export const resources: Readonly<typeof table & Record<string, Resource>> = table;
