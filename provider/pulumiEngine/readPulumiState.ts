import { resources as definitions, type ResourceTypeName } from "../resources/index";
import { readStateFromCommand } from "../status/readStateFromCommand";
import type { InterruptedCreate, ResourceSnapshot, StackSnapshot, StateReaderOptions } from "../status/stackSnapshot";
import { parseJsonObject } from "../support/parseJsonObject";
import { words } from "../support/words";
import type { ExportedStackState, PendingOperation, StackStateResource } from "./stackState";

const typePattern = /^(?:pulumi-nodejs:dynamic\/docs-platform|docs-platform:index):(\w+)$/;
const clearPending = "pulumi refresh --clear-pending-creates";
const providerPattern = /^pulumi:providers:(?:docs-platform|pulumi-nodejs)$/;

/** Reads a stack by `pulumi stack export`. Secrets stay encrypted. */
export async function readPulumiState({ folder, stack }: StateReaderOptions): Promise<StackSnapshot> {
  const chosen = stack === undefined ? [] : ["--stack", stack];
  const command = ["pulumi", "stack", "export", "--non-interactive", ...chosen];
  const where = "run it in the folder of the project (or name that with --cwd), logged in to the stack's backend.";
  const exported: ExportedStackState = await readStateFromCommand(command, folder, where, parseJsonObject);
  const { resources = [], pending_operations: pending = [], manifest } = exported.deployment ?? {};
  const current = resources.filter((resource) => resource.delete !== true);
  const ours = current.flatMap((resource) => snapshotsOf(resource, current));
  const cutOff = pending.flatMap((operation) => cutOffCreate(operation, current, manifest?.time));
  const [urn = ""] = current.map((resource) => resource.urn);
  return {
    stack: /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? stack ?? "",
    resources: ours,
    cutOff,
    names: new Map([...cutOff, ...ours].map(({ address = "", name }) => [address, name])),
    journal: current.flatMap(journalOf).at(-1),
  };
}

/**
 * Returns an empty list if a later run has created the resource. The pending operation is then out of date, but stays
 * in the state until `refresh --clear-pending-creates`.
 */
function cutOffCreate(
  { type, resource: { urn, type: token } }: PendingOperation,
  current: readonly StackStateResource[],
  since: string | undefined,
): InterruptedCreate[] {
  const kind = kindOf({ type: token });
  const definition = kind && definitions[kind];
  if (type !== "creating" || !definition?.starts || current.some((resource) => resource.urn === urn)) {
    return [];
  }
  const name = shortName(urn);
  const none = `if there is none, run \`${clearPending}\`, then \`${words.run}\``;
  const next =
    definition.kept === undefined
      ? `look on the platform if the message of ${name} arrived: if it did, remove ${name} from the program; ${none}`
      : `look on the platform for the ${definition.kept} of ${name}: if there is one, adopt it by ${words.name("jobId")}; ${none}`;
  return [{ name, address: urn, since, next }];
}

function snapshotsOf(resource: StackStateResource, all: readonly StackStateResource[]): ResourceSnapshot[] {
  const type = kindOf(resource);
  if (type === undefined) {
    return [];
  }
  const { urn, outputs = {} } = resource;
  const name = shortName(urn);
  const isAlone = all.filter((other) => kindOf(other) === type && shortName(other.urn) === name).length === 1;
  return [{ name: isAlone ? name : urn.split("::").slice(2).join("::"), type, address: urn, values: outputs }];
}

function kindOf({ type }: { type: string }): ResourceTypeName | undefined {
  const [, name] = typePattern.exec(type) ?? [];
  return name !== undefined && Object.hasOwn(definitions, name) ? (name as ResourceTypeName) : undefined;
}

function shortName(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function journalOf({ type, inputs = {} }: StackStateResource): string[] {
  const given = inputs["docs-platform:journal"] ?? inputs.journal;
  return providerPattern.test(type) && typeof given === "string" ? [given] : [];
}
