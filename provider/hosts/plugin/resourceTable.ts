import { agentMessage, agentMessageRules } from "../../resources/agentMessage";
import { bundleMirror } from "../../resources/bundleMirror";
import { bundleMirrorRules } from "../../resources/bundleMirrorRules";
import { exportBundle, exportBundleRules } from "../../resources/exportBundle";
import { staticExport, staticExportRules } from "../../resources/staticExport";
import { LifecycleResource, type PluginResource } from "./pluginResource";

/** Every resource of the plugin, by the last part of its type token, `docs-platform:index:<name>`. */
export const resourceTable: Readonly<Record<string, PluginResource>> = {
  StaticExport: new LifecycleResource({
    lifecycle: staticExport,
    inputs: Object.keys(staticExportRules),
    identity: ["jobId"],
    labels: ["domain", "triggers"],
    importedInputs: ["domain"],
  }),
  ExportBundle: new LifecycleResource({
    lifecycle: exportBundle,
    inputs: Object.keys(exportBundleRules),
    secrets: ["bundleUrl"],
    identity: ["jobId"],
    notImported: "each look would mint a link. Declare it with its jobId, which costs one request",
  }),
  BundleMirror: new LifecycleResource({
    lifecycle: bundleMirror,
    inputs: Object.keys(bundleMirrorRules),
    identity: ["jobId", "destination"],
    notImported: "the files of a mirror are known as its own by the state alone. Declare it, which costs one transfer",
  }),
  AgentMessage: new LifecycleResource({
    lifecycle: agentMessage,
    inputs: Object.keys(agentMessageRules),
    identity: ["jobId"],
    labels: ["prompt", "triggers"],
    importedInputs: ["jobId", "projectId"],
  }),
};
