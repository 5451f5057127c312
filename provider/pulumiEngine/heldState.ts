import { resources as definitions, type ResourceName } from "../resources/index";
import { type HeldResource, type HeldState, type StateOptions, UnreadableError } from "../status/heldState";
import { printable } from "../support/printable";
import { runProgram } from "../support/runProgram";
import { timeLimits } from "../support/time/timeLimits";
import { type Exported, type ExportedResource, largestState } from "./stackState";

const typePattern = /^(?:pulumi-nodejs:dynamic\/docs-platform|docs-platform:index):(\w+)$/;
const providerPattern = /^pulumi:providers:(?:docs-platform|pulumi-nodejs)$/;

/** Reads a stack by `pulumi stack export`, which leaves its secrets encrypted. */
export async function readPulumiState({ folder, stack }: StateOptions): Promise<HeldState> {
  const chosen = stack === undefined ? [] : ["--stack", stack];
  const command = ["pulumi", "stack", "export", "--non-interactive", ...chosen];
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd: folder };
  const { stdout, stderr, problem } = await runProgram(command, options);
  if (problem !== undefined) {
    throw new UnreadableError(
      `\`${printable(command.join(" "))}\` ${problem}: ${printable(stderr, 500)}`,
      "run it in the folder of the project (or name that with --cwd), logged in to the stack's backend.",
    );
  }
  const { deployment = {} }: Exported = JSON.parse(stdout);
  const { resources = [], pending_operations: pending = [], manifest } = deployment;
  const current = resources.filter((resource) => resource.delete !== true);
  const ours = heldIn(current);
  const cutOff = pending
    .filter(({ type, resource }) => type === "creating" && definitions[kindOf(resource) ?? ""]?.starts)
    .map(({ resource: { urn } }) => ({ name: shortName(urn), address: urn, since: manifest?.time }));
  const [urn = ""] = current.map((resource) => resource.urn);
  return {
    stack: /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? stack ?? "",
    resources: ours,
    cutOff,
    names: new Map([...cutOff, ...ours].map(({ address, name }) => [address, name])),
    journal: current.flatMap(journalOf).at(-1),
  };
}

export function heldIn(resources: readonly ExportedResource[]): HeldResource[] {
  return resources.flatMap((resource) => held(resource, resources));
}

function held(resource: ExportedResource, all: readonly ExportedResource[]): HeldResource[] {
  const type = kindOf(resource);
  if (type === undefined) {
    return [];
  }
  const { urn, outputs = {} } = resource;
  const name = shortName(urn);
  const isAlone = all.filter((other) => kindOf(other) === type && shortName(other.urn) === name).length === 1;
  return [{ name: isAlone ? name : urn.split("::").slice(2).join("::"), type, address: urn, values: outputs }];
}

function kindOf({ type }: { type: string }): ResourceName | undefined {
  const [, name] = typePattern.exec(type) ?? [];
  return name !== undefined && Object.hasOwn(definitions, name) ? (name as ResourceName) : undefined;
}

function shortName(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function journalOf({ type, inputs = {} }: ExportedResource): string[] {
  const given = inputs["docs-platform:journal"] ?? inputs.journal;
  return providerPattern.test(type) && typeof given === "string" ? [given] : [];
}
