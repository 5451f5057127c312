import type { AddressRecord, Blocks, Flags, ObjectRecord } from "./core";
import { same, type Value } from "./cty";
import { isNoChange, planFaults, resultFaults, type SchemaAttributes, type TypedBlock, unknownFaults } from "./rules";
import { attributesOf, Refused, type Walk, wholeConfig } from "./walk";

/** One resource of a configuration. */
export interface ConfiguredResource {
  readonly type: string;
  /** The given attributes, as the apply knows them. */
  readonly config: TypedBlock;
  /** The attributes as the plan knows them, if it knows less than the apply. */
  readonly early?: TypedBlock;
  /** Attributes that are the `job_id` of another resource, by the address of that one. */
  readonly refers?: Readonly<Record<string, string>>;
  /** Actions that each create and each update of it triggers, once it is done. */
  readonly triggers?: readonly Triggered[];
  readonly ignore?: readonly string[] | "all";
  readonly createFirst?: boolean;
  readonly preventDestroy?: boolean;
}

export interface Triggered {
  readonly type: string;
  readonly config: TypedBlock;
}

export type Configuration = Readonly<Record<string, ConfiguredResource>>;

export type Changed = "none" | "create" | "update" | "replace" | "delete" | "forget";

/** The parts of a run that a change uses while it is applied. */
interface Applying {
  /** The attributes as the run knows them. */
  resource(): AddressRecord;
  save(resource: AddressRecord | undefined): Promise<void>;
  walk: Walk;
  isCancelled(): boolean;
}

/** The change of one resource: planned, and then applied. */
export class Change {
  action: Changed = "none";
  /** The values of the object that it refers to, as far as this walk knows them. */
  referred: TypedBlock = {};
  /** Nothing that refers to it goes on. */
  isBroken = false;
  #block: TypedBlock | undefined;
  #private: Uint8Array | undefined;
  #deposed = false;
  #imported = false;
  readonly #attributes: SchemaAttributes;

  readonly #declared: ConfiguredResource | undefined;
  readonly #blocks: Blocks;
  readonly #flags: Flags;

  constructor(
    readonly address: string,
    readonly type: string,
    declared: ConfiguredResource | undefined,
    blocks: Blocks,
    flags: Flags,
  ) {
    this.#declared = declared;
    this.#blocks = blocks;
    this.#flags = flags;
    this.#attributes = attributesOf(type);
  }

  /** The new object as the plan knows it; undefined if nothing changes. */
  get planned(): TypedBlock | undefined {
    return this.action === "none" ? undefined : this.#block;
  }

  get refers(): Readonly<Record<string, string>> {
    return this.#declared?.refers ?? {};
  }

  /** True if an apply has something to do. */
  get isDue(): boolean {
    return this.action !== "none" || this.#deposed || this.#imported;
  }

  /** @returns the resource after the read. */
  async plan(resource: AddressRecord | undefined, walk: Walk): Promise<AddressRecord | undefined> {
    let read = resource;
    await this.#guarded(walk, async () => {
      read = await this.#refreshed(resource, walk);
      await this.#planned(read, walk);
    });
    return read;
  }

  async apply(applying: Applying): Promise<void> {
    const { walk, resource, isCancelled } = applying;
    const { deposed } = resource();
    const clean = async () => {
      for (const old of this.#deposed ? deposed : []) {
        if (!isCancelled()) {
          await this.#removeDeposed(old, applying);
        }
      }
    };
    await this.#guarded(walk, async () => {
      // With create first, the new object exists before anything of the same address is deleted.
      if (!this.#declared?.createFirst) {
        await clean();
      }
      if (!isCancelled()) {
        await this.#act(applying);
      }
      if (this.#declared?.createFirst) {
        await clean();
      }
      for (const { type, config } of isCancelled() ? [] : this.#triggered) {
        await walk.invoke(`action of ${this.address}`, type, config);
      }
    });
  }

  get #triggered(): readonly Triggered[] {
    return ["create", "update", "replace"].includes(this.action) ? (this.#declared?.triggers ?? []) : [];
  }

  async #act(applying: Applying): Promise<void> {
    const { resource, save } = applying;
    const { current } = resource();
    switch (this.action) {
      case "none":
        if (this.#imported) {
          await save(resource());
        }
        return;
      case "forget":
        return await save(undefined);
      case "delete":
        if (current !== undefined) {
          await this.#remove(current, applying);
        }
        return;
      case "update":
        if (current !== undefined) {
          await this.#update(current, applying);
        }
        return;
      case "create":
        return await this.#create(applying);
      default:
        return await this.#replace(current, applying);
    }
  }

  async #refreshed(resource: AddressRecord | undefined, walk: Walk): Promise<AddressRecord | undefined> {
    const { address, type } = this;
    const id = this.#blocks.imports?.[address];
    if (resource === undefined) {
      if (id === undefined || this.#declared === undefined) {
        return undefined;
      }
      const current = await walk.read(address, type, await walk.import(address, type, id));
      this.#imported = current !== undefined;
      return current && { type, current, deposed: [] };
    }
    const read = async (saved: ObjectRecord): Promise<ObjectRecord | undefined> => {
      const upgraded = await walk.upgrade(address, type, saved);
      const isRead = this.#flags.refresh !== false && !this.#isForgotten;
      return isRead ? await walk.read(address, type, upgraded) : upgraded;
    };
    const deposed: ObjectRecord[] = [];
    for (const old of resource.deposed) {
      const found = await read(old);
      if (found !== undefined) {
        deposed.push(found);
      }
    }
    const current = resource.current && (await read(resource.current));
    return current === undefined && deposed.length === 0 ? undefined : { type, current, deposed };
  }

  get #isForgotten(): boolean {
    return this.#blocks.forgotten?.includes(this.address) ?? false;
  }

  async #planned(resource: AddressRecord | undefined, walk: Walk): Promise<void> {
    const { address, type } = this;
    const flags = this.#flags;
    const declared = this.#declared;
    const saved = resource?.current;
    if (flags.refresh === "only") {
      return;
    }
    for (const old of resource?.deposed ?? []) {
      this.#deposed = true;
      await walk.plan(address, type, old.block, null, null, old.private);
    }
    const config = declared && wholeConfig(type, { ...declared.config, ...declared.early, ...this.referred });
    if (config === undefined || flags.destroys) {
      if (saved === undefined) {
        return;
      }
      if (this.#isForgotten) {
        this.action = "forget";
        return;
      }
      if (config !== undefined && !saved.tainted) {
        await this.#plannedUpdate(saved, config, walk);
      }
      this.#requireUnprotected(walk);
      const planned = await walk.plan(address, type, saved.block, null, null, saved.private);
      this.#set("delete", null, planned.private);
      return;
    }
    await walk.validate(address, type, config);
    if (saved === undefined || saved.tainted) {
      const planned = await walk.plan(address, type, null, config, config, undefined);
      this.#tell(walk, planFaults(this.#attributes, null, config, planned.block as TypedBlock));
      this.#set(saved === undefined ? "create" : "replace", planned.block, planned.private);
    } else {
      await this.#plannedUpdate(saved, config, walk);
    }
    if (this.action === "replace") {
      this.#requireUnprotected(walk);
    }
    for (const { type: kind, config: given } of this.#triggered) {
      await walk.planAction(address, kind, given);
    }
  }

  async #plannedUpdate(saved: ObjectRecord, config: TypedBlock, walk: Walk): Promise<void> {
    const { address, type } = this;
    const flags = this.#flags;
    const kept = this.#ignoring(saved.block, config);
    const first = await walk.plan(address, type, saved.block, kept, kept, saved.private);
    const block = first.block as TypedBlock;
    this.#tell(walk, planFaults(this.#attributes, saved.block, kept, block));
    if (isReplaced(first.replaces, saved.block, block) || flags.replace?.includes(address)) {
      const second = await walk.plan(address, type, null, config, config, first.private);
      this.#tell(walk, planFaults(this.#attributes, null, config, second.block as TypedBlock));
      this.#set("replace", second.block, second.private);
    } else {
      this.#set(isNoChange(saved.block, block) ? "none" : "update", block, first.private);
    }
  }

  #requireUnprotected(walk: Walk): void {
    if (this.#declared?.preventDestroy) {
      walk.refuse(this.address, "Instance cannot be destroyed");
    }
  }

  async #replace(old: ObjectRecord | undefined, applying: Applying): Promise<void> {
    const { resource, isCancelled } = applying;
    if (old !== undefined && !this.#declared?.createFirst) {
      await this.#remove(old, applying);
      if (isCancelled()) {
        return;
      }
      await this.#create(applying);
      return;
    }
    const { deposed } = resource();
    await this.#create(applying, old);
    if (old === undefined || isCancelled()) {
      return;
    }
    // The last deposed object, which stands there since the create.
    if (resource().deposed.length > deposed.length) {
      await this.#removeDeposed(old, applying);
    }
  }

  async #removeDeposed(old: ObjectRecord, { walk, resource, save }: Applying): Promise<void> {
    const { address, type } = this;
    const upgraded = await walk.upgrade(address, type, old);
    const planned = await walk.plan(address, type, upgraded.block, null, null, upgraded.private);
    await walk.apply(address, type, upgraded.block, null, null, planned.private);
    const { current, deposed } = resource();
    await save({ type, current, deposed: deposed.filter((each) => each !== old) });
  }

  async #remove(saved: ObjectRecord, { walk, resource, save }: Applying): Promise<void> {
    const { address, type } = this;
    const upgraded = await walk.upgrade(address, type, saved);
    await walk.apply(address, type, upgraded.block, null, null, this.#private);
    await save({ type, deposed: resource().deposed });
  }

  async #update(saved: ObjectRecord, applying: Applying): Promise<void> {
    const { address, type } = this;
    const { walk } = applying;
    const raw = wholeConfig(type, { ...this.#declared?.config, ...this.referred });
    const upgraded = await walk.upgrade(address, type, saved);
    await walk.validate(address, type, raw);
    const kept = this.#ignoring(upgraded.block, raw);
    const final = await walk.plan(address, type, upgraded.block, kept, kept, upgraded.private);
    const block = final.block as TypedBlock;
    this.#tell(walk, planFaults(this.#attributes, upgraded.block, kept, block));
    this.#tell(walk, resultFaults("final plan", this.#block as TypedBlock, block));
    if (isReplaced(final.replaces, upgraded.block, block)) {
      walk.fault(address, "final plan: a replacement, which was not planned");
    }
    if (isNoChange(upgraded.block, block)) {
      return;
    }
    // Core hands over the configuration as written, also if changes are ignored.
    const answer = await walk.apply(address, type, upgraded.block, block, raw, final.private);
    await this.#finish(answer, block, saved.tainted, applying, undefined);
  }

  /** @param deposed the old object, which leaves its address before the new one exists. */
  async #create(applying: Applying, deposed?: ObjectRecord): Promise<void> {
    const { address, type } = this;
    const { walk } = applying;
    const raw = wholeConfig(type, { ...this.#declared?.config, ...this.referred });
    await walk.validate(address, type, raw);
    const final = await walk.plan(address, type, null, raw, raw, undefined);
    const block = final.block as TypedBlock;
    this.#tell(walk, planFaults(this.#attributes, null, raw, block));
    this.#tell(walk, resultFaults("final plan", this.#block as TypedBlock, block));
    const answer = await walk.apply(address, type, null, block, raw, final.private);
    await this.#finish(answer, block, answer.failed, applying, deposed);
  }

  /** Saves the answer of an apply, as core does. */
  async #finish(
    answer: Awaited<ReturnType<Walk["apply"]>>,
    planned: TypedBlock,
    tainted: boolean,
    { walk, resource, save }: Applying,
    deposed: ObjectRecord | undefined,
  ): Promise<void> {
    const { type } = this;
    const { block, failed } = answer;
    if (block !== undefined) {
      const others = resource().deposed;
      const current = { block, private: answer.private, tainted };
      await save({ type, current, deposed: deposed === undefined ? others : [...others, deposed] });
    }
    if (failed) {
      throw new Refused();
    }
    if (block === undefined) {
      throw new Error("apply: there is no state");
    }
    this.#tell(walk, [...unknownFaults("apply", block), ...resultFaults("apply", planned, block)]);
  }

  /** An ignored attribute has the state's value. */
  #ignoring(prior: TypedBlock, config: TypedBlock): TypedBlock {
    const { ignore = [] } = this.#declared ?? {};
    const entries = Object.entries(config).map(([name, value]): [string, Value] => {
      const { optional, required } = this.#attributes[name] ?? {};
      const isIgnored = ignore === "all" ? optional || required : ignore.includes(name);
      return [name, isIgnored ? (prior[name] ?? value) : value];
    });
    return Object.fromEntries(entries);
  }

  #set(action: Changed, block: TypedBlock | null, bytes: Uint8Array | undefined): void {
    this.action = action;
    this.#block = block ?? undefined;
    this.#private = bytes;
  }

  #tell(walk: Walk, faults: readonly string[]): void {
    for (const fault of faults) {
      walk.fault(this.address, fault);
    }
  }

  async #guarded(walk: Walk, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.isBroken = true;
      if (!(error instanceof Refused)) {
        walk.fault(this.address, error instanceof Error ? error.message : String(error));
      }
    }
  }
}

/** A path counts only if its value changes, or may change. */
function isReplaced(paths: readonly string[], before: TypedBlock, after: TypedBlock): boolean {
  return paths.some((name) => !same(after[name] as Value, before[name] as Value));
}
