import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type ResourceName, resources } from "../../resources/index";
import { readAlone } from "../../settings/sources";
import { type HeldResource, type HeldState, type StateOptions, UnreadableError } from "../../status/heldState";
import { printable } from "../../support/printable";
import { runProgram } from "../../support/runProgram";
import { timeLimits } from "../../support/time/timeLimits";
import { camelCase, setWords } from "../../support/words";
import { journalScope } from "./journalScope";
import { readPrivate } from "./privateState";
import { chosenWorkspace, workspaceAddress } from "./terraformSession";
import { terraformWords, typeName } from "./words";

/** The size limit of the command's output in bytes: no state is that large. */
const largestState = 512 * 1024 * 1024;

const types = new Map(Object.keys(resources).map((name) => [typeName(name), name as ResourceName]));

/** The parts of a state that are used here, in the format 4. */
interface SavedState {
  resources?: {
    mode: string;
    type: string;
    name: string;
    module?: string;
    instances: {
      attributes: Record<string, unknown>;
      private?: string;
      deposed?: string;
      index_key?: number | string;
    }[];
  }[];
}

/**
 * Reads a workspace by `terraform state pull`. Unlike `terraform show -json` it starts no provider, and shows what the
 * provider keeps beside the attributes, by which it renews a link.
 */
export async function readTerraformState({ folder, stack }: StateOptions): Promise<HeldState> {
  setWords(terraformWords);
  if (stack !== undefined) {
    process.env.TF_WORKSPACE = stack;
  }
  const command = [commandFor(folder), "state", "pull"];
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd: folder };
  const { stdout, stderr, problem } = await runProgram(command, options);
  if (problem !== undefined) {
    throw new UnreadableError(
      `\`${command.join(" ")}\` ${problem}: ${printable(stderr, 500)}`,
      "run it in the folder of the configuration (or name that with --cwd), after `terraform init`.",
    );
  }
  const workplace = { environment: process.env, folder };
  const scope = readAlone(journalScope, { environment: process.env });
  const addressOf = (type: string) => workspaceAddress(type, scope, workplace);
  const { resources: saved = [] }: SavedState = stdout.trim() === "" ? {} : JSON.parse(stdout);
  return {
    stack: [basename(resolve(folder)), chosenWorkspace(workplace) || []].flat().join("/"),
    resources: saved.flatMap((resource) => held(resource, addressOf)),
    cutOff: [],
    names: new Map([...types].map(([name, type]) => [addressOf(type), name])),
    journal: undefined,
  };
}

/** OpenTofu's lock file names its registry. */
function commandFor(folder: string): string {
  const lock = join(folder, ".terraform.lock.hcl");
  return existsSync(lock) && readFileSync(lock, "utf8").includes("registry.opentofu.org/") ? "tofu" : "terraform";
}

function held(
  { mode, type: kind, name, module, instances }: NonNullable<SavedState["resources"]>[number],
  addressOf: (type: string) => string,
): HeldResource[] {
  const type = types.get(kind);
  if (type === undefined || mode !== "managed") {
    return [];
  }
  return instances
    .filter(({ deposed }) => deposed === undefined)
    .map(({ attributes, private: kept = "", index_key: key }) => ({
      name: `${module === undefined ? "" : `${module}.`}${kind}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`,
      type,
      address: addressOf(type),
      values: {
        ...Object.fromEntries(Object.entries(attributes).map(([attribute, value]) => [camelCase(attribute), value])),
        ...readPrivate(Buffer.from(kept, "base64")).own,
      },
    }));
}
