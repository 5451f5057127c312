import { unknown } from "../../../provider/definitions/values";
import { type BlockValues, encodeDynamicValue } from "../../../provider/hosts/terraform/values";
import type { AddressRecord, Flags, ObjectRecord } from "./core";
import { Refused, type Walk, wholeConfig } from "./walk";

export interface ConfiguredResource {
  readonly type: string;
  readonly config: BlockValues;
  readonly createFirst?: boolean;
}

export type Configuration = Readonly<Record<string, ConfiguredResource>>;

interface Applying {
  resource(): AddressRecord;
  save(resource: AddressRecord): Promise<void>;
  walk: Walk;
  isCancelled(): boolean;
}

export class Change {
  action: "none" | "create" | "update" | "replace" | "delete" = "none";
  #block: BlockValues | null = null;
  #private: Uint8Array | undefined;
  #deposed = false;
  #imported = false;

  constructor(
    readonly address: string,
    readonly type: string,
    private readonly declared: ConfiguredResource | undefined,
    private readonly flags: Flags,
  ) {}

  get isDue(): boolean {
    return this.action !== "none" || this.#deposed || this.#imported;
  }

  get #config(): BlockValues {
    return wholeConfig(this.type, this.declared?.config ?? {});
  }

  /** Reads the resource and plans its change. Returns the resource after the read. */
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
      // With create-before-destroy, the old objects are deleted after the new object exists.
      if (!this.declared?.createFirst) {
        await clean();
      }
      if (!isCancelled()) {
        await this.#act(applying);
      }
      if (this.declared?.createFirst) {
        await clean();
      }
    });
  }

  async #act(applying: Applying): Promise<void> {
    const { current } = applying.resource();
    if (this.action === "none" && this.#imported) {
      await applying.save(applying.resource());
    } else if (this.action === "delete" && current !== undefined) {
      await this.#remove(current, applying);
    } else if (this.action === "update" && current !== undefined) {
      await this.#update(current, applying);
    } else if (this.action === "create") {
      await this.#create(applying);
    } else if (this.action === "replace") {
      await this.#replace(current, applying);
    }
  }

  async #refreshed(resource: AddressRecord | undefined, walk: Walk): Promise<AddressRecord | undefined> {
    const { address, type } = this;
    const id = this.flags.imports?.[address];
    if (resource === undefined) {
      if (id === undefined || this.declared === undefined) {
        return undefined;
      }
      const current = await walk.read(address, type, await walk.import(address, type, id));
      this.#imported = current !== undefined;
      return current && { type, current, deposed: [] };
    }
    const read = async (saved: ObjectRecord) =>
      this.flags.refresh === false ? saved : walk.read(address, type, saved);
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

  async #planned(resource: AddressRecord | undefined, walk: Walk): Promise<void> {
    const { address, type } = this;
    const saved = resource?.current;
    if (this.flags.refresh === "only") {
      return;
    }
    for (const old of resource?.deposed ?? []) {
      this.#deposed = true;
      await walk.plan(address, type, old.block, null, old.private);
    }
    if (this.declared === undefined || this.flags.destroys) {
      if (saved !== undefined) {
        this.#set("delete", await walk.plan(address, type, saved.block, null, saved.private));
      }
      return;
    }
    await walk.validate(address, type, this.#config);
    if (saved === undefined || saved.tainted) {
      const planned = await walk.plan(address, type, null, this.#config, undefined);
      this.#set(saved === undefined ? "create" : "replace", planned);
      return;
    }
    const first = await walk.plan(address, type, saved.block, this.#config, saved.private);
    if (isReplaced(first.replaces, saved.block, first.block) || this.flags.replace?.includes(address)) {
      this.#set("replace", await walk.plan(address, type, null, this.#config, first.private));
    } else {
      this.#set(same(saved.block, first.block) ? "none" : "update", first);
    }
  }

  async #replace(old: ObjectRecord | undefined, applying: Applying): Promise<void> {
    const { resource, isCancelled } = applying;
    if (old !== undefined && !this.declared?.createFirst) {
      await this.#remove(old, applying);
      if (!isCancelled()) {
        await this.#create(applying);
      }
      return;
    }
    const { deposed } = resource();
    await this.#create(applying, old);
    // A successful create has moved the old object to `deposed`, so the list is longer than before.
    if (old !== undefined && !isCancelled() && resource().deposed.length > deposed.length) {
      await this.#removeDeposed(old, applying);
    }
  }

  async #removeDeposed(old: ObjectRecord, { walk, resource, save }: Applying): Promise<void> {
    const { address, type } = this;
    const planned = await walk.plan(address, type, old.block, null, old.private);
    await walk.apply(address, type, old.block, null, null, planned.private);
    const { current, deposed } = resource();
    await save({ type, current, deposed: deposed.filter((each) => each !== old) });
  }

  async #remove(saved: ObjectRecord, { walk, resource, save }: Applying): Promise<void> {
    const { address, type } = this;
    await walk.apply(address, type, saved.block, null, null, this.#private);
    await save({ type, deposed: resource().deposed });
  }

  async #update(saved: ObjectRecord, applying: Applying): Promise<void> {
    const { address, type } = this;
    const final = await this.#finalPlan(saved, applying.walk);
    if (isReplaced(final.replaces, saved.block, final.block)) {
      applying.walk.fault(address, "final plan: a replacement, which was not planned");
    }
    if (same(saved.block, final.block)) {
      return;
    }
    const answer = await applying.walk.apply(address, type, saved.block, final.block, this.#config, final.private);
    await this.#finish(answer, final.block, saved.tainted, applying, undefined);
  }

  /** @param deposed the old object. It becomes deposed when the new object is saved. */
  async #create(applying: Applying, deposed?: ObjectRecord): Promise<void> {
    const { address, type } = this;
    const final = await this.#finalPlan(undefined, applying.walk);
    const answer = await applying.walk.apply(address, type, null, final.block, this.#config, final.private);
    await this.#finish(answer, final.block, answer.failed, applying, deposed);
  }

  /** Plans again, as Terraform does in an apply. The new plan must equal the saved plan. */
  async #finalPlan(saved: ObjectRecord | undefined, walk: Walk) {
    const { address, type } = this;
    await walk.validate(address, type, this.#config);
    const final = await walk.plan(address, type, saved?.block ?? null, this.#config, saved?.private);
    this.#requireAsPlanned("final plan", this.#block, final.block, walk);
    return final;
  }

  async #finish(
    { block, failed, private: bytes }: Awaited<ReturnType<Walk["apply"]>>,
    planned: BlockValues | null,
    tainted: boolean,
    { walk, resource, save }: Applying,
    deposed: ObjectRecord | undefined,
  ): Promise<void> {
    const { type } = this;
    if (block !== undefined) {
      const others = resource().deposed;
      const current = { block, private: bytes, tainted };
      await save({ type, current, deposed: deposed === undefined ? others : [...others, deposed] });
    }
    if (failed) {
      throw new Refused();
    }
    this.#requireAsPlanned("apply", planned, block ?? null, walk);
  }

  /** Reports a fault if a value differs from the plan. The real Terraform checks more (drawnApplies.test.ts). */
  #requireAsPlanned(step: string, planned: BlockValues | null, actual: BlockValues | null, walk: Walk): void {
    for (const [name, value] of Object.entries(planned ?? {})) {
      if (value !== unknown && !same(value, actual?.[name])) {
        walk.fault(this.address, `${step}: ${name} is not as planned`);
      }
    }
  }

  #set(action: Change["action"], { block, private: bytes }: Awaited<ReturnType<Walk["plan"]>>): void {
    this.action = action;
    this.#block = block;
    this.#private = bytes;
  }

  async #guarded(walk: Walk, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refused)) {
        walk.fault(this.address, error instanceof Error ? error.message : String(error));
      }
    }
  }
}

function same(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map((value) => Buffer.from(encodeDynamicValue(value).msgpack ?? []));
  return left?.equals(right ?? Buffer.alloc(0)) === true;
}

/** Returns true if one of these values changes, or may change. Such a change forces a replacement. */
function isReplaced(paths: readonly string[], before: BlockValues, after: BlockValues | null): boolean {
  return paths.some((name) => !same(after?.[name], before[name]));
}
