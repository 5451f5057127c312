import { dynamicProvider } from "./hosts/dynamic";
import { agentMessage } from "./resources/agentMessage";
import { bundleMirror } from "./resources/bundleMirror";
import { exportBundle } from "./resources/exportBundle";
import { staticExport } from "./resources/staticExport";

/*
 * What the text in every stack's state requires (sdk/resource.ts). The names of this module and of what it exports can
 * never change again.
 */
export const StaticExport = dynamicProvider(staticExport);
export const ExportBundle = dynamicProvider(exportBundle);
export const AgentMessage = dynamicProvider(agentMessage);
export const BundleMirror = dynamicProvider(bundleMirror);
