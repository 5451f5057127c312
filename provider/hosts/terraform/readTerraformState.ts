import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type ResourceTypeName, resources } from "../../resources/index";
import { CheckedSettings } from "../../settings/settings";
import { readStateFromCommand } from "../../status/readStateFromCommand";
import type { ResourceSnapshot, StackSnapshot, StateReaderOptions } from "../../status/stackSnapshot";
import { mapValues, renameKeys } from "../../support/objects";
import { parseJsonObject } from "../../support/parseJsonObject";
import { camelCase, setWords } from "../../support/words";
import { decodePrivateState } from "./privateState";
import { chosenWorkspace, resourceAddressForJournal } from "./terraformSession";
import { terraformTypeNameOf, terraformWords } from "./words";

const types = new Map(Object.keys(resources).map((name) => [terraformTypeNameOf(name), name as ResourceTypeName]));

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
 * Unlike `terraform show -json`, `terraform state pull` starts no provider. It also shows the provider's private data,
 * which the renewal of a link needs.
 */
export async function readTerraformState({ folder, stack }: StateReaderOptions): Promise<StackSnapshot> {
  setWords(terraformWords);
  if (stack !== undefined) {
    process.env.TF_WORKSPACE = stack;
  }
  const command = [commandFor(folder), "state", "pull"];
  const where = "run it in the folder of the configuration (or name that with --cwd), after `terraform init`.";
  const state = await readStateFromCommand(command, folder, where, stateIn);
  const workplace = { environment: process.env, folder };
  const { journalScope: scope } = new CheckedSettings({ environment: process.env }).values;
  const addressOf = (type: string) => resourceAddressForJournal(type, scope, workplace);
  return {
    stack: [basename(resolve(folder)), chosenWorkspace(workplace) || []].flat().join("/"),
    resources: (state.resources ?? []).flatMap(snapshotsOf),
    cutOff: [],
    names: new Map([...types].map(([name, type]) => [addressOf(type), name])),
    journal: undefined,
  };
}

/**
 * A wrapper around Terraform, for example in the action `setup-terraform`, prints its own lines before and after the
 * state. Without a state, Terraform prints nothing.
 */
function stateIn(printed: string): SavedState | undefined {
  const [state = "{}"] = /^\{$.*?^\}$/ms.exec(printed.replaceAll("\r\n", "\n")) ?? [];
  return parseJsonObject(printed.includes("{") && state === "{}" ? printed : state);
}

/** Chooses OpenTofu if the folder's lock file names OpenTofu's registry. */
function commandFor(folder: string): string {
  const lock = join(folder, ".terraform.lock.hcl");
  return existsSync(lock) && readFileSync(lock, "utf8").includes("registry.opentofu.org/") ? "tofu" : "terraform";
}

function snapshotsOf({
  mode,
  type: kind,
  name,
  module,
  instances,
}: NonNullable<SavedState["resources"]>[number]): ResourceSnapshot[] {
  const type = types.get(kind);
  if (type === undefined || mode !== "managed") {
    return [];
  }
  return instances
    .filter(({ deposed }) => deposed === undefined)
    .map(({ attributes, private: kept = "", index_key: key }) => ({
      name: `${module === undefined ? "" : `${module}.`}${kind}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`,
      type,
      values: {
        ...renameKeys(
          mapValues(attributes, (_, value) => plain(value)),
          camelCase,
        ),
        ...decodePrivateState(Buffer.from(kept, "base64")).own,
      },
    }));
}

/** If the schema allows any type for an attribute, Terraform saves the type together with the value. */
function plain(value: unknown): unknown {
  const { value: inner, type, ...others } = Object(value);
  return type !== undefined && Object.keys(others).length === 0 ? inner : value;
}
