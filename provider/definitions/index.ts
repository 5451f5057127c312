import { agentMessage } from "./agentMessage";
import { bundleMirror } from "./bundleMirror";
import type { FunctionDefinition, ResourceDefinition } from "./definition";
import { exportBundle } from "./exportBundle";
import { featureAvailability } from "./featureAvailability";
import { getAgentJob } from "./getAgentJob";
import { getStaticExport } from "./getStaticExport";
import { helmValues } from "./helmValues";
import { staticExport } from "./staticExport";

/** Every resource, by its name. */
export const resources = byName<ResourceDefinition>(staticExport, exportBundle, bundleMirror, agentMessage);

/** Every function, by its name. */
export const functions = byName<FunctionDefinition>(getStaticExport, getAgentJob, helmValues, featureAvailability);

function byName<T extends { name: string }>(...definitions: T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(definitions.map((definition) => [definition.name, definition]));
}
