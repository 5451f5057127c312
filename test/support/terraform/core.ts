import type { BlockValues } from "../../../provider/hosts/terraform/values";
import { Change, type Configuration } from "./change";
import { type Opened, Refused, Walk } from "./walk";

export interface ObjectRecord {
  readonly block: BlockValues;
  readonly private: Uint8Array | undefined;
  readonly tainted: boolean;
}

export interface AddressRecord {
  readonly type: string;
  readonly current?: ObjectRecord | undefined;
  /** The old objects that an unfinished replacement has not deleted. */
  readonly deposed: readonly ObjectRecord[];
}

export type State = ReadonlyMap<string, AddressRecord>;

export interface Flags {
  readonly replace?: readonly string[];
  /** The only addresses that the run covers. Default: all. */
  readonly target?: readonly string[];
  readonly refresh?: false | "only";
  readonly destroys?: boolean;
  /** The `import` blocks: the id to import for each address. */
  readonly imports?: Readonly<Record<string, string>>;
  readonly provider?: BlockValues;
}

export interface PlanFile {
  readonly flags: Flags;
  /** The state after Terraform has read all resources. */
  readonly prior: State;
  readonly changes: readonly Change[];
  readonly serial: number;
  readonly isRefused: boolean;
}

export interface RunMessages {
  /** The faults that Terraform's core would report as bugs of the provider. */
  readonly faults: string[];
  readonly errors: { address: string; text: string }[];
  readonly warnings: { address: string; text: string }[];
}

export const emptyDiagnostics = (): RunMessages => ({ faults: [], errors: [], warnings: [] });

export interface Terraform {
  /** Starts a process of the provider for one walk. */
  open(): Opened;
  /** Saves the state, unless something ends Terraform before this step. */
  save(change: () => void): Promise<void>;
  /** Returns true after a Ctrl-C. The core then starts no further step. */
  isCancelled(): boolean;
}

/** A model of Terraform's core. It calls the provider's real host in this process, with a new host for each walk. */
export class Core {
  state: State = new Map();
  #serial = 0;

  taint(address: string, tainted = true): void {
    const found = this.state.get(address);
    if (found?.current !== undefined) {
      this.#save(new Map(this.state).set(address, { ...found, current: { ...found.current, tainted } }));
    }
  }

  async plan(
    configuration: Configuration,
    terraform: Terraform,
    messages: RunMessages,
    flags: Flags = {},
  ): Promise<PlanFile> {
    const { state } = this;
    const prior = new Map(state);
    const changes: Change[] = [];
    const errors = messages.errors.length;
    const opened = terraform.open();
    const walk = new Walk(opened.service, messages);
    const isConfigured = await configured(walk, flags, false);
    const addresses = [...new Set([...state.keys(), ...Object.keys(configuration)])];
    const wanted = addresses.filter((address) => isConfigured && (flags.target?.includes(address) ?? true));
    const plan = async (address: string) => {
      const declared = configuration[address];
      const change = new Change(address, state.get(address)?.type ?? declared?.type ?? "", declared, flags);
      const resource = await change.plan(state.get(address), walk);
      if (resource === undefined) {
        prior.delete(address);
      } else {
        prior.set(address, resource);
      }
      changes.push(change);
    };
    await Promise.all(wanted.map(plan));
    await opened.end();
    return { flags, prior, changes, serial: this.#serial, isRefused: messages.errors.length > errors };
  }

  /** Returns true if the state has changed since the plan was made. Terraform refuses such a plan. */
  isStale({ serial }: PlanFile): boolean {
    return serial !== this.#serial;
  }

  /** @returns true if the apply succeeded. */
  async apply(plan: PlanFile, terraform: Terraform, messages: RunMessages): Promise<boolean> {
    if (plan.isRefused) {
      return false;
    }
    if (this.isStale(plan)) {
      messages.errors.push({ address: "", text: "Saved plan is stale" });
      return false;
    }
    const working = new Map(plan.prior);
    const errors = messages.errors.length;
    const opened = terraform.open();
    const walk = new Walk(opened.service, messages);
    const save = (address: string, resource: AddressRecord) => {
      if (resource.current === undefined && resource.deposed.length === 0) {
        working.delete(address);
      } else {
        working.set(address, resource);
      }
      return terraform.save(() => this.#save(new Map(working)));
    };
    const due = plan.changes.filter((change) => change.isDue);
    const { isCancelled } = terraform;
    if (due.length > 0 && (await configured(walk, plan.flags, true))) {
      const apply = (change: Change) => {
        const { address, type } = change;
        const resource = () => working.get(address) ?? { type, deposed: [] };
        return change.apply({ resource, save: (next) => save(address, next), walk, isCancelled });
      };
      await Promise.all(due.map(apply));
    }
    // The reads of the plan may have changed the state, so it is saved even if no resource changes.
    if (textOf(working) !== textOf(this.state)) {
      await terraform.save(() => this.#save(working));
    }
    await opened.end();
    return messages.errors.length === errors && !terraform.isCancelled();
  }

  #save(state: State): void {
    this.state = state;
    this.#serial++;
  }
}

/** @returns false if the provider refuses the provider block. */
async function configured(walk: Walk, { provider = {} }: Flags, applies: boolean): Promise<boolean> {
  try {
    await walk.configure(provider, applies);
    return true;
  } catch (error) {
    if (error instanceof Refused) {
      return false;
    }
    throw error;
  }
}

function textOf(state: State): string {
  const entries = [...state].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value));
}
