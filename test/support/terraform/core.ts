import type { TerraformService } from "../../../provider/hosts/terraform/service";
import { Change, type Changed, type Configuration, type ConfiguredResource, type Triggered } from "./change";
import { hasUnknown } from "./cty";
import type { TypedBlock } from "./rules";
import { type Opened, Walk } from "./walk";

/** The state file's record of one object. */
export interface ObjectRecord {
  readonly block: TypedBlock;
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

/** The options of the command line. All are off by default. */
export interface Flags {
  readonly replace?: readonly string[];
  /** Only these addresses are looked at. */
  readonly target?: readonly string[];
  readonly refresh?: false | "only";
  readonly destroys?: boolean;
}

/** The parts of a configuration beside its resources. */
export interface Blocks {
  /** The provider block. */
  readonly provider?: TypedBlock;
  /** The `moved` blocks: from one address to another. */
  readonly moved?: Readonly<Record<string, string>>;
  /** The `removed` blocks with `destroy = false`. */
  readonly forgotten?: readonly string[];
  /** The `import` blocks: the imported id by its address. */
  readonly imports?: Readonly<Record<string, string>>;
  readonly reads?: readonly Read[];
}

/** A data source, or an ephemeral resource. */
export interface Read extends Pick<ConfiguredResource, "type" | "config" | "refers"> {
  readonly kind: "dataSources" | "ephemeralResources";
}

/** The content of a plan file. */
export interface PlanFile {
  readonly configuration: Configuration;
  readonly blocks: Blocks;
  readonly flags: Flags;
  /** The state after the read. */
  readonly prior: State;
  readonly changes: readonly Change[];
  /** The data sources that the apply reads, some of them once more. */
  readonly later: readonly Read[];
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

export const nothingTold = (): Told => ({ faults: [], errors: [], warnings: [] });

/** The surroundings of core. */
export interface Terraform {
  /** Starts a process of the provider for one walk. */
  open(walk: "validate" | "plan" | "apply"): Opened;
  /** Saves the state, unless something ends Terraform before. */
  save(change: () => void): Promise<void>;
  /** True after a Ctrl-C: nothing more is begun. */
  isCancelled(): boolean;
}

/** A Terraform that nothing disturbs. */
export function undisturbed(createService: () => TerraformService): Terraform {
  return {
    open: () => {
      const service = createService();
      return { service, end: () => service.end() };
    },
    save: async (change) => change(),
    isCancelled: () => false,
  };
}

/** The number of resources that are at work at once. */
const parallelism = 10;

/**
 * A part of Terraform's core, which drives the host's protocol in this process: the order of the calls and the values in
 * them are those of plan and apply. Each walk has a provider of its own, as each has a process. A resource refers to the `job_id` of another one, and
 * to nothing that refers itself.
 */
export class Core {
  /** The state in the backend. */
  state: State = new Map();
  #serial = 0;

  /** The one object at an address. */
  saved(address: string): ObjectRecord | undefined {
    return this.state.get(address)?.current;
  }

  /** Does the work of `terraform taint` and `terraform untaint`, which no provider hears of. */
  taint(address: string, tainted = true): void {
    const found = this.state.get(address);
    if (found?.current !== undefined) {
      this.#save(new Map(this.state).set(address, { ...found, current: { ...found.current, tainted } }));
    }
  }

  async plan(
    configuration: Configuration,
    terraform: Terraform,
    told: Told,
    flags: Flags = {},
    blocks: Blocks = {},
  ): Promise<PlanFile> {
    const state = moved(this.state, blocks.moved ?? {});
    const prior = new Map<string, AddressRecord>();
    const changes: Change[] = [];
    const errors = told.errors.length;
    const { service } = terraform.open("validate");
    const before = new Walk(service, told);
    for (const [address, declared] of Object.entries(configuration)) {
      await before.validateUnknown(address, declared);
    }
    const opened = terraform.open("plan");
    const walk = new Walk(opened.service, told);
    const isConfigured = told.errors.length === errors && (await walk.configure(blocks.provider ?? {}, false));
    const addresses = new Set([...state.keys(), ...Object.keys(configuration)]);
    const targets = flags.target?.flatMap((address) => [address, ...refersOf(configuration[address])]);
    const wanted = [...addresses].filter((address) => isConfigured && (targets?.includes(address) ?? true));
    for (const [address, resource] of state) {
      prior.set(address, resource);
    }
    const known = (address: string) => {
      const change = changes.find((each) => each.address === address);
      return change?.isBroken ? undefined : (change?.planned ?? prior.get(address)?.current?.block);
    };
    for (const isReferring of [false, true]) {
      const now = wanted.filter((address) => refersOf(configuration[address]).length > 0 === isReferring);
      await atOnce(now, async (address) => {
        const declared = configuration[address];
        const type = state.get(address)?.type ?? declared?.type ?? "";
        const change = new Change(address, type, declared, blocks, flags);
        const referred = resolved(change, known);
        if (referred === undefined) {
          return;
        }
        change.referred = referred;
        const resource = await change.plan(state.get(address), walk);
        if (resource === undefined) {
          prior.delete(address);
        } else {
          prior.set(address, resource);
        }
        changes.push(change);
      });
    }
    const later: Read[] = [];
    const reads = flags.destroys || flags.target !== undefined ? [] : (blocks.reads ?? []);
    for (const read of isConfigured && told.errors.length === errors ? reads : []) {
      const isRead = await this.#read(read, known, walk);
      if (read.kind === "ephemeralResources" || !isRead) {
        later.push(read);
      }
    }
    await opened.end();
    const isRefused = told.errors.length > errors;
    return { configuration, blocks, flags, prior, changes, later, serial: this.#serial, isRefused };
  }

  /** Invokes one action, as `-invoke` has it done. @returns whether it went well. */
  async invoke(action: Triggered, terraform: Terraform, told: Told): Promise<boolean> {
    const errors = told.errors.length;
    for (const step of ["plan", "apply"] as const) {
      const opened = terraform.open(step);
      const walk = new Walk(opened.service, told);
      await walk.refusable(async () => {
        if (await walk.configure({}, step === "apply")) {
          await (step === "plan" ? walk.planAction : walk.invoke).call(walk, "action", action.type, action.config);
        }
      });
      await opened.end();
      if (told.errors.length > errors || terraform.isCancelled()) {
        return false;
      }
    }
    return true;
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
    const opened = terraform.open("apply");
    const walk = new Walk(opened.service, told);
    const save = (address: string, resource: AddressRecord | undefined) => {
      if (resource === undefined || (resource.current === undefined && resource.deposed.length === 0)) {
        working.delete(address);
      } else {
        working.set(address, resource);
      }
      return terraform.save(() => this.#save(new Map(working)));
    };
    const isDue = plan.changes.some((change) => change.isDue);
    const known = (address: string) => {
      const isBroken = plan.changes.some((change) => change.address === address && change.isBroken);
      return isBroken ? undefined : working.get(address)?.current?.block;
    };
    const { isCancelled } = terraform;
    if ((isDue || plan.later.length > 0) && (await walk.configure(plan.blocks.provider ?? {}, true))) {
      for (const now of inOrder(plan.changes)) {
        await atOnce(now, async (change) => {
          const { address } = change;
          const resource = () => working.get(address) ?? { type: change.type, deposed: [] };
          const referred = isGoing(change) ? {} : resolved(change, known);
          if (change.isDue && referred !== undefined) {
            change.referred = referred;
            await change.apply({ resource, save: (next) => save(address, next), walk, isCancelled });
          }
        });
      }
      for (const read of plan.later) {
        if (!isCancelled()) {
          await this.#read(read, known, walk);
        }
      }
    }
    // The state has changed by a read or a move. It is saved even if nothing else was to be done.
    if (textOf(working) !== textOf(this.state)) {
      await terraform.save(() => this.#save(working));
    }
    await opened.end();
    return told.errors.length === errors && !terraform.isCancelled();
  }

  /** @returns whether it is read: what it refers to may not be known yet, or not be there. */
  async #read(read: Read, known: (address: string) => TypedBlock | undefined, walk: Walk): Promise<boolean> {
    const { kind, type, config } = read;
    const referred = resolved(read, known);
    if (referred === undefined || Object.values(referred).some(hasUnknown)) {
      return false;
    }
    const given = { ...config, ...referred };
    await walk.refusable(() => (kind === "dataSources" ? walk.readData : walk.open).call(walk, kind, type, given));
    return true;
  }

  #save(state: State): void {
    this.state = state;
    this.#serial++;
  }
}

function refersOf({ refers = {} }: Pick<ConfiguredResource, "refers"> = {}): string[] {
  return Object.values(refers);
}

/** @returns undefined where something that is referred to has failed, or is not there. */
function resolved(
  { refers = {} }: Pick<ConfiguredResource, "refers">,
  known: (address: string) => TypedBlock | undefined,
): TypedBlock | undefined {
  const entries = Object.entries(refers).map(([name, address]) => [name, known(address)?.job_id] as const);
  return entries.every(([, value]) => value !== undefined) ? (Object.fromEntries(entries) as TypedBlock) : undefined;
}

function isGoing({ action }: Change): boolean {
  return action === "delete" || action === "forget";
}

/** Orders the changes: an object goes before the object that it refers to, and comes after it. */
function inOrder(changes: readonly Change[]): Change[][] {
  const refers = (change: Change) => Object.keys(change.refers).length > 0;
  return [
    changes.filter((change) => refers(change) && isGoing(change)),
    changes.filter((change) => !refers(change)),
    changes.filter((change) => refers(change) && !isGoing(change)),
  ];
}

/** The result of each address. */
export function actions({ changes }: PlanFile): Readonly<Record<string, Changed>> {
  return Object.fromEntries(changes.map(({ address, action }) => [address, action]));
}

/** The names in the state follow the names of the configuration. */
function moved(state: State, names: Readonly<Record<string, string>>): State {
  return new Map([...state].map(([address, resource]) => [names[address] ?? address, resource]));
}

/** The content of a state, whose parts come in any order. */
function textOf(state: State): string {
  const entries = [...state].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value));
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, next));
}

export type { Changed, Configuration, ConfiguredResource, Triggered };
