import type { Block } from "../../../provider/hosts/terraform/values";
import { Change, type Configuration } from "./change";
import { type Opened, Refused, Walk } from "./walk";

/** The state file's record of one object. */
export interface ObjectRecord {
  readonly block: Block;
  readonly private: Uint8Array | undefined;
  readonly tainted: boolean;
}

/** The state file's record of one address. */
export interface AddressRecord {
  readonly type: string;
  readonly current?: ObjectRecord | undefined;
  /** The objects that unfinished replacements have left. */
  readonly deposed: readonly ObjectRecord[];
}

export type State = ReadonlyMap<string, AddressRecord>;

/** A person's options for one run, in addition to its configuration. By default all are off. */
export interface Flags {
  readonly replace?: readonly string[];
  /** If given, the run looks only at these addresses. */
  readonly target?: readonly string[];
  readonly refresh?: false | "only";
  readonly destroys?: boolean;
  /** The `import` blocks: the imported id by its address. */
  readonly imports?: Readonly<Record<string, string>>;
  /** The provider block. */
  readonly provider?: Block;
}

/** The content of a plan file. */
export interface PlanFile {
  readonly flags: Flags;
  /** The state after the read. */
  readonly prior: State;
  readonly changes: readonly Change[];
  /** The state that the plan was made for. */
  readonly serial: number;
  readonly isRefused: boolean;
}

/** The messages to a person. */
export interface Told {
  /** The faults that core would call a bug of the provider. */
  readonly faults: string[];
  /** The provider's refusals and warnings. */
  readonly errors: { address: string; text: string }[];
  readonly warnings: { address: string; text: string }[];
}

export const emptyDiagnostics = (): Told => ({ faults: [], errors: [], warnings: [] });

/** The surroundings of core. */
export interface Terraform {
  /** Starts a process of the provider for one walk. */
  open(): Opened;
  /** Saves the state, unless something ends Terraform before. */
  save(change: () => void): Promise<void>;
  /** Returns true after a Ctrl-C: then nothing more begins. */
  isCancelled(): boolean;
}

/**
 * A part of Terraform's core, which drives the host's protocol in this process. The calls have the order and the values
 * of plan and apply. Each walk has its own provider, like each process of Terraform.
 */
export class Core {
  /** The state in the backend. */
  state: State = new Map();
  #serial = 0;

  /** Does the work of `terraform taint` and `terraform untaint`, for which the provider gets no call. */
  taint(address: string, tainted = true): void {
    const found = this.state.get(address);
    if (found?.current !== undefined) {
      this.#save(new Map(this.state).set(address, { ...found, current: { ...found.current, tainted } }));
    }
  }

  async plan(configuration: Configuration, terraform: Terraform, told: Told, flags: Flags = {}): Promise<PlanFile> {
    const { state } = this;
    const prior = new Map(state);
    const changes: Change[] = [];
    const errors = told.errors.length;
    const opened = terraform.open();
    const walk = new Walk(opened.service, told);
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
    return { flags, prior, changes, serial: this.#serial, isRefused: told.errors.length > errors };
  }

  /** True if the state has changed since this plan. Such a plan is refused. */
  isStale({ serial }: PlanFile): boolean {
    return serial !== this.#serial;
  }

  /** @returns true if it succeeded. */
  async apply(plan: PlanFile, terraform: Terraform, told: Told): Promise<boolean> {
    if (plan.isRefused) {
      return false;
    }
    if (this.isStale(plan)) {
      told.errors.push({ address: "", text: "Saved plan is stale" });
      return false;
    }
    const working = new Map(plan.prior);
    const errors = told.errors.length;
    const opened = terraform.open();
    const walk = new Walk(opened.service, told);
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
    // A read has changed the state, so the state is saved even if there is nothing else to do.
    if (textOf(working) !== textOf(this.state)) {
      await terraform.save(() => this.#save(working));
    }
    await opened.end();
    return told.errors.length === errors && !terraform.isCancelled();
  }

  #save(state: State): void {
    this.state = state;
    this.#serial++;
  }
}

/** @returns false if the provider refuses its block. */
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

/** Returns the content of a state as a text. The order of its parts does not matter. */
function textOf(state: State): string {
  const entries = [...state].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value));
}
