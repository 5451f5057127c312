import { type BlockSchema, providerSchema } from "../../../provider/hosts/terraform/schema";
import { createService, type Service } from "../../../provider/hosts/terraform/service";
import {
  type Diagnostic,
  type Methods,
  methods,
  type Response,
  severity,
} from "../../../provider/hosts/terraform/wire/messages";
import { decodeValue, encodeValue, jsonOf, nullOf, object, same, type Type, unknownOf, type Value } from "./cty";
import { type Attributes, type Block, isNoChange, planFaults, resultFaults, typeOf, unknownFaults } from "./rules";

/** What the state file has of a resource. */
export interface Saved {
  readonly block: Block;
  readonly private: Uint8Array | undefined;
  readonly tainted: boolean;
}

/** What one run is told. What is left out is not so. */
export interface Run {
  /** Undefined where the configuration has no such resource: it is destroyed. */
  readonly config: Block | undefined;
  /** Attributes as the plan knows them, where it knows less than the apply. */
  readonly early?: Block;
  readonly ignore?: readonly string[] | "all";
  readonly createFirst?: boolean;
  readonly replace?: boolean;
  readonly withoutRefresh?: boolean;
  /** Terraform is killed when it has the last answer, and before it saves anything. */
  readonly killed?: boolean;
  /** Those of a configuration with more resources than this one; who makes them ends them. */
  readonly processes?: { readonly planning: Service; readonly applying: Service };
  /** Happens between plan and apply, as it may with a saved plan. */
  readonly between?: () => void;
}

export type Action = "none" | "create" | "update" | "replace" | "delete";

export interface Ended {
  action: Action;
  /** What core would call a bug of the provider. */
  faults: string[];
  /** What the provider itself refused, and what it warned of. */
  errors: string[];
  warnings: string[];
}

/**
 * A part of Terraform's core, which drives the host's protocol for one resource in this process: the order of the calls and
 * the values in them are those of plan and apply. Each walk has a provider of its own, as each has a process.
 */
export class Core {
  saved: Saved | undefined;
  /** Left behind by a replacement whose second half failed. */
  deposed: Saved[] = [];
  readonly #schema: BlockSchema;

  constructor(
    readonly type: string,
    private readonly provider: Block = {},
  ) {
    this.#schema = providerSchema.resources[type] as BlockSchema;
  }

  get attributes(): Attributes {
    return this.#schema.attributes;
  }

  /** Every attribute of a configuration: null where it says nothing. */
  config(given: Block): Block {
    const names = Object.entries(this.attributes);
    return Object.fromEntries(names.map(([name, attribute]) => [name, given[name] ?? nullOf(typeOf(attribute))]));
  }

  async run(run: Run): Promise<Ended> {
    const ended: Ended = { action: "none", faults: [], errors: [], warnings: [] };
    try {
      await this.#run(run, ended);
    } catch (error) {
      if (!(error instanceof Refused)) {
        ended.faults.push(String(error));
      }
    }
    return ended;
  }

  async #run(run: Run, ended: Ended): Promise<void> {
    const raw = run.config && this.config(run.config);
    const early = raw && { ...raw, ...run.early };
    const planning = await this.#walk(ended, run.processes?.planning);
    if (raw !== undefined) {
      const optional = Object.keys(raw).filter((name) => raw[name]?.content !== null);
      await new Walk(this.type, this.attributes, ended, createService()).validate(this.#unknown(raw, optional));
    }
    const planned = await this.#plan(run, early, planning, ended);
    ended.action = planned.action;
    if (run.processes === undefined) await planning.end();
    run.between?.();
    if (planned.action === "none") return;
    const applying = await this.#walk(ended, run.processes?.applying);
    const { saved } = this;
    try {
      await this.#apply(run, raw, planned, applying, ended);
    } finally {
      if (run.killed) this.saved = saved;
      else if (run.processes === undefined) await applying.end();
    }
  }

  async #plan(run: Run, config: Block | undefined, walk: Walk, ended: Ended): Promise<Planned> {
    let { saved } = this;
    if (saved !== undefined) {
      const upgraded = await walk.upgrade(saved);
      const refreshed = run.withoutRefresh ? upgraded : await walk.read(upgraded);
      saved = refreshed && { ...refreshed, tainted: saved.tainted };
      this.saved = saved;
    }
    if (config === undefined) {
      if (saved === undefined) return { action: "none" };
      const { planned_private } = await walk.plan(saved.block, null, config, saved.private);
      return { action: "delete", private: planned_private };
    }
    await walk.validate(config);
    if (saved === undefined || saved.tainted) {
      const { block, planned_private } = await walk.plan(null, config, config, undefined);
      ended.faults.push(...planFaults(this.attributes, null, config, block as Block));
      return { action: saved === undefined ? "create" : "replace", block: block as Block, private: planned_private };
    }
    const kept = this.#ignoring(run, saved.block, config);
    const first = await walk.plan(saved.block, kept, kept, saved.private);
    const block = first.block as Block;
    ended.faults.push(...planFaults(this.attributes, saved.block, kept, block));
    const isReplaced = first.replaces.some((name) => !same(block[name] as Value, saved.block[name] as Value));
    if (isReplaced || run.replace) {
      const second = await walk.plan(null, config, config, first.planned_private);
      ended.faults.push(...planFaults(this.attributes, null, config, second.block as Block));
      return { action: "replace", block: second.block as Block, private: second.planned_private };
    }
    return { action: isNoChange(saved.block, block) ? "none" : "update", block, private: first.planned_private };
  }

  async #apply(run: Run, raw: Block | undefined, planned: Planned, walk: Walk, ended: Ended): Promise<void> {
    const { saved } = this;
    const remove = async (old: Saved, bytes: Uint8Array | undefined) => {
      await walk.apply(old.block, null, undefined, bytes);
    };
    if (planned.action === "delete" && saved !== undefined) {
      await walk.upgrade(saved);
      await remove(saved, planned.private);
      this.saved = undefined;
      return;
    }
    if (raw === undefined || planned.block === undefined) return;
    if (planned.action === "replace" && saved !== undefined && !run.createFirst) {
      await walk.upgrade(saved);
      await remove(saved, planned.private);
      this.saved = undefined;
    }
    if (planned.action === "update" && saved !== undefined) {
      const upgraded = await walk.upgrade(saved);
      await walk.validate(raw);
      const kept = this.#ignoring(run, upgraded.block, raw);
      const final = await walk.plan(upgraded.block, kept, kept, upgraded.private);
      const block = final.block as Block;
      ended.faults.push(...planFaults(this.attributes, upgraded.block, kept, block));
      ended.faults.push(...resultFaults("final plan", planned.block, block));
      if (final.replaces.some((name) => !same(block[name] as Value, upgraded.block[name] as Value))) {
        ended.faults.push("final plan: a replacement, which was not planned");
      }
      if (isNoChange(upgraded.block, block)) return;
      // Core hands over the configuration as it is written, also where changes are ignored.
      await this.#finish(await walk.apply(upgraded.block, block, raw, final.planned_private), block, false, ended);
      return;
    }
    const deposed = planned.action === "replace" && run.createFirst ? saved : undefined;
    if (deposed !== undefined) this.saved = undefined;
    try {
      await walk.validate(raw);
      const final = await walk.plan(null, raw, raw, undefined);
      const block = final.block as Block;
      ended.faults.push(...planFaults(this.attributes, null, raw, block));
      ended.faults.push(...resultFaults("final plan", planned.block, block));
      await this.#finish(await walk.apply(null, block, raw, final.planned_private), block, true, ended);
    } catch (error) {
      if (deposed !== undefined) {
        if (this.saved === undefined) this.saved = deposed;
        else this.deposed.push(deposed);
      }
      throw error;
    }
    if (deposed !== undefined) {
      const upgraded = await walk.upgrade(deposed);
      const { planned_private } = await walk.plan(upgraded.block, null, undefined, upgraded.private);
      await remove(upgraded, planned_private);
    }
  }

  /** Keeps what an apply has answered, as core does. */
  async #finish(answer: Applied, planned: Block, isNew: boolean, ended: Ended): Promise<void> {
    const { block, failed } = answer;
    if (block !== undefined) {
      this.saved = { block, private: answer.private, tainted: isNew ? failed : (this.saved?.tainted ?? false) };
    }
    if (failed) throw new Refused();
    if (block === undefined) throw new Error("apply: there is no state");
    ended.faults.push(...unknownFaults("apply", block), ...resultFaults("apply", planned, block));
  }

  #unknown(config: Block, unknown: readonly string[]): Block {
    const entries = Object.entries(config).map(([name, value]): [string, Value] => [
      name,
      unknown.includes(name) ? unknownOf(typeOf(this.attributes[name] as Attributes[string])) : value,
    ]);
    return Object.fromEntries(entries);
  }

  /** What is ignored is as the state has it. */
  #ignoring({ ignore = [] }: Run, prior: Block, config: Block): Block {
    const entries = Object.entries(config).map(([name, value]): [string, Value] => {
      const { optional, required } = this.attributes[name] ?? {};
      const isIgnored = ignore === "all" ? optional || required : ignore.includes(name);
      return [name, isIgnored ? (prior[name] ?? value) : value];
    });
    return Object.fromEntries(entries);
  }

  async #walk(ended: Ended, service = createService()): Promise<Walk> {
    const walk = new Walk(this.type, this.attributes, ended, service);
    await walk.configure(this.provider);
    return walk;
  }
}

/** The provider has said that it cannot: no bug of it. */
class Refused extends Error {}

interface Planned {
  action: Action;
  block?: Block;
  private?: Uint8Array | undefined;
}

interface Applied {
  block: Block | undefined;
  private: Uint8Array | undefined;
  failed: boolean;
}

/** The calls of one walk, each through the bytes of its messages. */
class Walk {
  readonly #type: Type;

  constructor(
    private readonly typeName: string,
    private readonly attributes: Attributes,
    private readonly ended: Ended,
    private readonly service: Service,
  ) {
    this.#type = blockType(attributes);
  }

  end(): Promise<void> {
    return this.service.end();
  }

  async configure(given: Block): Promise<void> {
    const { attributes } = providerSchema.provider;
    const names = Object.entries(attributes);
    const block = Object.fromEntries(names.map(([name, each]) => [name, given[name] ?? nullOf(typeOf(each))]));
    const config = encodeValue(blockType(attributes), object(block));
    await this.#call("ValidateProviderConfig", { config });
    await this.#call("ConfigureProvider", { config, terraformVersion: "1.11.4" });
  }

  async validate(config: Block): Promise<void> {
    await this.#call("ValidateResourceConfig", { typeName: this.typeName, config: this.#encode(config) });
  }

  async upgrade(saved: Saved): Promise<Saved> {
    const json = Buffer.from(jsonOf(this.#type, { type: this.#type, content: saved.block }));
    const { upgradedState } = await this.#call("UpgradeResourceState", {
      typeName: this.typeName,
      version: 0,
      rawState: { json },
    });
    const block = this.#decode(upgradedState);
    if (block === null) throw new Error("upgrade: there is no state");
    this.ended.faults.push(...unknownFaults("upgrade", block), ...differences("upgrade", saved.block, block));
    return { ...saved, block };
  }

  async read(saved: Saved): Promise<Saved | undefined> {
    const answer = await this.#call("ReadResource", {
      typeName: this.typeName,
      currentState: this.#encode(saved.block),
      private: saved.private,
    });
    const block = this.#decode(answer.newState);
    if (block === null) return undefined;
    this.ended.faults.push(...unknownFaults("read", block));
    return { ...saved, block, private: answer.private };
  }

  async plan(prior: Block | null, proposed: Block | null, config: Block | undefined, bytes: Uint8Array | undefined) {
    const answer = await this.#call("PlanResourceChange", {
      typeName: this.typeName,
      priorState: this.#encode(prior),
      proposedNewState: this.#encode(proposed && this.#proposed(prior, proposed)),
      config: this.#encode(config ?? null),
      priorPrivate: bytes,
    });
    const block = this.#decode(answer.plannedState);
    if ((block === null) !== (proposed === null)) throw new Error("plan: a resource that is not as it was asked for");
    const replaces = (answer.requiresReplace ?? []).map(({ steps }) => steps?.[0]?.attributeName ?? "");
    return { block, replaces, planned_private: answer.plannedPrivate };
  }

  async apply(prior: Block | null, planned: Block | null, config: Block | undefined, bytes: Uint8Array | undefined) {
    const answer = await this.#call(
      "ApplyResourceChange",
      {
        typeName: this.typeName,
        priorState: this.#encode(prior),
        plannedState: this.#encode(planned),
        config: this.#encode(config ?? null),
        plannedPrivate: bytes,
      },
      true,
    );
    const failed = (answer.diagnostics ?? []).some((each) => each.severity === severity.error);
    const block = this.#decode(answer.newState) ?? undefined;
    if (planned === null && block !== undefined && !failed) throw new Error("apply: what was deleted is there");
    if (planned === null && failed) throw new Refused();
    return { block, private: answer.private, failed };
  }

  /** The configuration, and what it does not say as it was. */
  #proposed(prior: Block | null, config: Block): Block {
    const entries = Object.entries(config).map(([name, value]): [string, Value] => {
      const isKept = this.attributes[name]?.computed && value.content === null;
      return [name, isKept ? (prior?.[name] ?? value) : value];
    });
    return Object.fromEntries(entries);
  }

  #encode(block: Block | null) {
    return encodeValue(this.#type, block === null ? nullOf(this.#type) : { type: this.#type, content: block });
  }

  #decode(answer: Parameters<typeof decodeValue>[1]): Block | null {
    return decodeValue(this.#type, answer).content as Block | null;
  }

  async #call<Name extends keyof Methods>(name: Name, asked: object, mayFail = false): Promise<Response<Name>> {
    const { request, response } = methods[name] as { request: Codec; response: Codec };
    const diagnostics: Diagnostic[] = [];
    const answer = await this.service.call(name, request.decode(request.encode(asked)) as object, diagnostics);
    const decoded = response.decode(response.encode(answer)) as { diagnostics?: Diagnostic[] };
    const told = [...(decoded.diagnostics ?? []), ...diagnostics];
    for (const { severity: how, summary = "", detail = "" } of told) {
      (how === severity.error ? this.ended.errors : this.ended.warnings).push(`${summary}\n${detail}`);
    }
    const failed = told.some((each) => each.severity === severity.error);
    if (failed && !mayFail) throw new Refused();
    return { ...decoded, diagnostics: told } as Response<Name>;
  }
}

interface Codec {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

function blockType(attributes: Attributes): Type {
  return ["object", Object.fromEntries(Object.entries(attributes).map(([name, each]) => [name, typeOf(each)]))];
}

function differences(step: string, before: Block, after: Block): string[] {
  return Object.keys(before)
    .filter((name) => !same(before[name] as Value, after[name] as Value) && !bothNull(before[name], after[name]))
    .map((name) => `${step}: ${name} has changed`);
}

function bothNull(left: Value | undefined, right: Value | undefined): boolean {
  return left?.content === null && right?.content === null;
}
