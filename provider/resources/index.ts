import { agentMessage } from "../definitions/agentMessage";
import { bundleMirror } from "../definitions/bundleMirror";
import { exportBundle } from "../definitions/exportBundle";
import { staticExport } from "../definitions/staticExport";
import { agentMessage as agentMessageLifecycle } from "./agentMessage";
import { bundleMirror as bundleMirrorLifecycle } from "./bundleMirror";
import { exportBundle as exportBundleLifecycle } from "./exportBundle";
import { bindLifecycle, type Resource } from "./resource";
import { staticExport as staticExportLifecycle } from "./staticExport";

/** Every resource, by its name. */
export const resources = byName(
  bindLifecycle(staticExport, staticExportLifecycle),
  bindLifecycle(exportBundle, exportBundleLifecycle),
  bindLifecycle(bundleMirror, bundleMirrorLifecycle),
  bindLifecycle(agentMessage, agentMessageLifecycle),
);

function byName(...all: Resource[]): Readonly<Record<string, Resource>> {
  return Object.fromEntries(all.map((resource) => [resource.name, resource]));
}
