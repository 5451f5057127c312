import { agentMessage } from "./definitions/agentMessage";
import { bundleMirror } from "./definitions/bundleMirror";
import { exportBundle } from "./definitions/exportBundle";
import { staticExport } from "./definitions/staticExport";
import { dynamicProvider } from "./hosts/dynamic/dynamicProvider";

/*
 * What the text in every stack's state requires (sdk/resource.ts). The names of this module and of what it exports can
 * never change again.
 */
export const StaticExport = dynamicProvider(staticExport);
export const ExportBundle = dynamicProvider(exportBundle);
export const AgentMessage = dynamicProvider(agentMessage);
export const BundleMirror = dynamicProvider(bundleMirror);
