import { isEnded } from "../../resources/agentJob";
import { agentMessage, agentMessageRules } from "../../resources/agentMessage";
import { bundleMirror } from "../../resources/bundleMirror";
import { bundleMirrorRules } from "../../resources/bundleMirrorRules";
import { differs } from "../../resources/compare";
import { exportBundle, exportBundleRules } from "../../resources/exportBundle";
import { staticExport, staticExportRules } from "../../resources/staticExport";
import { LifecycleResource, type PluginResource } from "./pluginResource";

const mirrorOutputs = ["url", "sha256", "sizeBytes", "format", "mirroredAt"] as const;
const agentOutputs = ["status", "source", "model", "prLink", "createdAt", "archivedAt"] as const;

/** Every resource of the plugin, by the last part of its type token, `docs-platform:index:<name>`. */
export const resourceTable: Readonly<Record<string, PluginResource>> = {
  StaticExport: new LifecycleResource({
    lifecycle: staticExport,
    inputs: Object.keys(staticExportRules),
    outputs: ["jobId", "domain", "status", "version", "pageCount", "startedAt", "completedAt"],
    // A time once known is never changed.
    following: ({ startedAt }) => [
      "status",
      "pageCount",
      "completedAt",
      ...(startedAt === undefined ? (["startedAt"] as const) : []),
    ],
    identity: ["jobId"],
    labels: ["domain", "triggers"],
    importedInputs: ["domain"],
  }),
  ExportBundle: new LifecycleResource({
    lifecycle: exportBundle,
    inputs: Object.keys(exportBundleRules),
    outputs: ["bundleUrl", "expiresAt", "issuedAt", "jobId", "version"],
    secrets: ["bundleUrl"],
    following: () => ["bundleUrl", "expiresAt", "issuedAt"],
    identity: ["jobId"],
    notImported: "each look would mint a link. Declare it with its jobId, which costs one request",
  }),
  BundleMirror: new LifecycleResource({
    lifecycle: bundleMirror,
    inputs: Object.keys(bundleMirrorRules),
    outputs: [...mirrorOutputs, "jobId", "version", "layout"],
    following: () => mirrorOutputs,
    begins: (state, inputs) =>
      (["jobId", "expectedSha256", "publicUrl"] as const).some((name) => differs(state[name], inputs[name])),
    identity: ["jobId", "destination"],
    notImported: "the files of a mirror are known as its own by the state alone. Declare it, which costs one transfer",
  }),
  AgentMessage: new LifecycleResource({
    lifecycle: agentMessage,
    inputs: Object.keys(agentMessageRules),
    outputs: agentOutputs,
    following: () => agentOutputs,
    begins: (state, { waitForCompletion }) => waitForCompletion === true && !isEnded(state),
    identity: ["jobId"],
    labels: ["prompt", "triggers"],
    importedInputs: ["jobId", "projectId"],
  }),
};
