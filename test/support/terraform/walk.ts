import { type BlockSchema, providerSchema } from "../../../provider/hosts/terraform/schema";
import type { TerraformService } from "../../../provider/hosts/terraform/service";
import {
  type Diagnostic,
  severity,
  type TerraformMethods,
  type TerraformRequest,
  type TerraformResponse,
  terraformMethods,
} from "../../../provider/hosts/terraform/wire/messages";
import type { ConfiguredResource } from "./change";
import type { ObjectRecord, Told } from "./core";
import { decodeValue, encodeValue, jsonOf, nullOf, object, same, type Type, unknownOf, type Value } from "./cty";
import { planFaults, type SchemaAttributes, type TypedBlock, typeOf, unknownFaults } from "./rules";

/** A process of the provider. */
export interface Opened {
  readonly service: TerraformService;
  end(): Promise<void>;
}

/** Thrown if the provider refuses. That is no bug of it. */
export class Refused extends Error {}

/** The kinds of blocks that a configuration may have of a provider. */
export type Kind = "resources" | "dataSources" | "ephemeralResources" | "actions";

/** The attributes of a type. */
export function attributesOf(type: string, kind: Kind = "resources"): SchemaAttributes {
  return (providerSchema[kind][type] as BlockSchema).attributes;
}

/** Every attribute of a configuration; null for an unset one. */
export function wholeConfig(type: string, given: TypedBlock, kind: Kind = "resources"): TypedBlock {
  const names = Object.entries(attributesOf(type, kind));
  return Object.fromEntries(names.map(([name, attribute]) => [name, given[name] ?? nullOf(typeOf(attribute))]));
}

/** The calls of one walk. Each goes through the bytes of its messages. */
export class Walk {
  readonly #service: TerraformService;
  readonly #told: Told;

  constructor(service: TerraformService, told: Told) {
    this.#service = service;
    this.#told = told;
  }

  /** @returns false if the provider refuses. */
  async configure(given: TypedBlock, applies: boolean): Promise<boolean> {
    const { attributes } = providerSchema.provider;
    const names = Object.entries(attributes);
    const block = Object.fromEntries(names.map(([name, each]) => [name, given[name] ?? nullOf(typeOf(each))]));
    const config = encodeValue(blockType(attributes), object(block));
    const clientCapabilities = { deferralAllowed: applies };
    try {
      await this.#call("", "ValidateProviderConfig", { config });
      await this.#call("", "ConfigureProvider", { config, terraformVersion: "1.11.4", clientCapabilities });
      return true;
    } catch (error) {
      if (error instanceof Refused) {
        return false;
      }
      throw error;
    }
  }

  /** Calls as a validation does, without known variables. */
  async validateUnknown(address: string, { type, config, refers = {} }: ConfiguredResource): Promise<void> {
    const attributes = attributesOf(type);
    const referring = Object.keys(refers).map((name): [string, Value] => [name, unknownOf("string")]);
    const unknown = [...Object.entries(config), ...referring].map(([name, value]): [string, Value] => [
      name,
      value.content === null ? value : unknownOf(typeOf(attributes[name] as SchemaAttributes[string])),
    ]);
    await this.refusable(() => this.validate(address, type, wholeConfig(type, Object.fromEntries(unknown))));
  }

  /** @returns false if the provider has refused. */
  async refusable(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof Refused) {
        return false;
      }
      throw error;
    }
  }

  fault(address: string, text: string): void {
    this.#told.faults.push(`${address}: ${text}`);
  }

  refuse(address: string, text: string): never {
    this.#told.errors.push({ address, text });
    throw new Refused();
  }

  async validate(address: string, type: string, config: TypedBlock): Promise<void> {
    await this.#call(address, "ValidateResourceConfig", { typeName: type, config: encodeBlock(type, config) });
  }

  async upgrade(address: string, type: string, saved: ObjectRecord): Promise<ObjectRecord> {
    const whole = blockType(attributesOf(type));
    const json = Buffer.from(jsonOf(whole, { type: whole, content: saved.block }));
    const asked = { typeName: type, version: 0, rawState: { json } };
    const { upgradedState } = await this.#call(address, "UpgradeResourceState", asked);
    const block = decodeBlock(type, upgradedState);
    if (block === null) {
      throw new Error("upgrade: there is no state");
    }
    for (const fault of [...unknownFaults("upgrade", block), ...differences("upgrade", saved.block, block)]) {
      this.fault(address, fault);
    }
    return { ...saved, block };
  }

  async read(address: string, type: string, saved: ObjectRecord): Promise<ObjectRecord | undefined> {
    const currentState = encodeBlock(type, saved.block);
    const answer = await this.#call(address, "ReadResource", {
      typeName: type,
      currentState,
      private: saved.private,
    });
    const block = decodeBlock(type, answer.newState);
    if (block === null) {
      return undefined;
    }
    for (const fault of unknownFaults("read", block)) {
      this.fault(address, fault);
    }
    return { ...saved, block, private: answer.private };
  }

  async plan(
    address: string,
    type: string,
    prior: TypedBlock | null,
    proposed: TypedBlock | null,
    config: TypedBlock | null,
    bytes: Uint8Array | undefined,
  ) {
    const answer = await this.#call(address, "PlanResourceChange", {
      typeName: type,
      priorState: encodeBlock(type, prior),
      proposedNewState: encodeBlock(type, proposed && proposedOf(type, prior, proposed)),
      config: encodeBlock(type, config),
      priorPrivate: bytes,
    });
    const block = decodeBlock(type, answer.plannedState);
    if ((block === null) !== (proposed === null)) {
      throw new Error("plan: a resource that is not as it was asked for");
    }
    const replaces = (answer.requiresReplace ?? []).map(({ steps }) => steps?.[0]?.attributeName ?? "");
    return { block, replaces, private: answer.plannedPrivate };
  }

  async apply(
    address: string,
    type: string,
    prior: TypedBlock | null,
    planned: TypedBlock | null,
    config: TypedBlock | null,
    bytes: Uint8Array | undefined,
  ) {
    const asked = {
      typeName: type,
      priorState: encodeBlock(type, prior),
      plannedState: encodeBlock(type, planned),
      config: encodeBlock(type, config),
      plannedPrivate: bytes,
    };
    const answer = await this.#call(address, "ApplyResourceChange", asked, true);
    const failed = (answer.diagnostics ?? []).some((each) => each.severity === severity.error);
    const block = decodeBlock(type, answer.newState) ?? undefined;
    if (planned === null && block !== undefined && !failed) {
      throw new Error("apply: what was deleted is there");
    }
    if (planned === null && failed) {
      throw new Refused();
    }
    return { block, private: answer.private, failed };
  }

  async import(address: string, type: string, id: string): Promise<ObjectRecord> {
    const { importedResources = [] } = await this.#call(address, "ImportResourceState", { typeName: type, id });
    const [found] = importedResources;
    const block = found && decodeBlock(type, found.state);
    if (importedResources.length !== 1 || found?.typeName !== type || !block) {
      throw new Error("import: there must be one object of the type that was asked for");
    }
    return { block, private: found.private, tainted: false };
  }

  async readData(address: string, type: string, given: TypedBlock): Promise<void> {
    const wanted = wholeConfig(type, given, "dataSources");
    const config = encodeBlock(type, wanted, "dataSources");
    await this.#call(address, "ValidateDataResourceConfig", { typeName: type, config });
    const { state } = await this.#call(address, "ReadDataSource", { typeName: type, config });
    const found = decodeBlock(type, state, "dataSources");
    for (const fault of found === null ? ["data: there is no state"] : unknownFaults("data", found)) {
      this.fault(address, fault);
    }
  }

  async open(address: string, type: string, given: TypedBlock): Promise<void> {
    const kind = "ephemeralResources";
    const wanted = wholeConfig(type, given, kind);
    const config = encodeBlock(type, wanted, kind);
    await this.#call(address, "ValidateEphemeralResourceConfig", { typeName: type, config });
    const { result } = await this.#call(address, "OpenEphemeralResource", { typeName: type, config });
    const found = decodeBlock(type, result, kind);
    const faults =
      found === null
        ? ["ephemeral: there is no result"]
        : [...unknownFaults("ephemeral", found), ...planFaults(attributesOf(type, kind), null, wanted, found)];
    for (const fault of faults) {
      this.fault(address, fault);
    }
    await this.#call(address, "CloseEphemeralResource", { typeName: type });
  }

  async planAction(address: string, type: string, given: TypedBlock): Promise<void> {
    const config = encodeBlock(type, wholeConfig(type, given, "actions"), "actions");
    await this.#call(address, "ValidateActionConfig", { typeName: type, config });
    await this.#call(address, "PlanAction", { actionType: type, config });
  }

  /** @throws Refused if the action failed. */
  async invoke(address: string, type: string, given: TypedBlock): Promise<void> {
    const config = encodeBlock(type, wholeConfig(type, given, "actions"), "actions");
    const { request, response } = terraformMethods.InvokeAction as { request: Codec; response: Codec };
    const asked = request.decode(request.encode({ actionType: type, config })) as TerraformRequest<"InvokeAction">;
    let ended: readonly Diagnostic[] | undefined;
    for await (const event of this.#service.invoke(asked)) {
      const { completed } = response.decode(response.encode(event)) as TerraformResponse<"InvokeAction">;
      if (ended !== undefined) {
        this.fault(address, "action: there is an event after its end");
      }
      ended = completed && (completed.diagnostics ?? []);
    }
    if (ended === undefined) {
      this.fault(address, "action: its last event tells no end");
    }
    if (this.#tell(address, ended ?? [])) {
      throw new Refused();
    }
  }

  async #call<Name extends keyof TerraformMethods>(
    address: string,
    name: Name,
    asked: object,
    mayFail = false,
  ): Promise<TerraformResponse<Name>> {
    const { request, response } = terraformMethods[name] as { request: Codec; response: Codec };
    const diagnostics: Diagnostic[] = [];
    const answer = await this.#service.call(name, request.decode(request.encode(asked)) as object, diagnostics);
    const decoded = response.decode(response.encode(answer)) as { diagnostics?: Diagnostic[] };
    const all = [...(decoded.diagnostics ?? []), ...diagnostics];
    const failed = this.#tell(address, all);
    if (failed && !mayFail) {
      throw new Refused();
    }
    return { ...decoded, diagnostics: all } as TerraformResponse<Name>;
  }

  /** @returns whether there is an error among them. */
  #tell(address: string, diagnostics: readonly Diagnostic[]): boolean {
    for (const { severity: how, summary = "", detail = "" } of diagnostics) {
      const list = how === severity.error ? this.#told.errors : this.#told.warnings;
      list.push({ address, text: `${summary}\n${detail}` });
    }
    return diagnostics.some((each) => each.severity === severity.error);
  }
}

interface Codec {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** The configuration, with the old values for what it does not set. */
function proposedOf(type: string, prior: TypedBlock | null, config: TypedBlock): TypedBlock {
  const attributes = attributesOf(type);
  const entries = Object.entries(config).map(([name, value]): [string, Value] => {
    const isKept = attributes[name]?.computed && value.content === null;
    return [name, isKept ? (prior?.[name] ?? value) : value];
  });
  return Object.fromEntries(entries);
}

function encodeBlock(type: string, block: TypedBlock | null, kind: Kind = "resources") {
  const whole = blockType(attributesOf(type, kind));
  return encodeValue(whole, block === null ? nullOf(whole) : { type: whole, content: block });
}

function decodeBlock(
  type: string,
  answer: Parameters<typeof decodeValue>[1],
  kind: Kind = "resources",
): TypedBlock | null {
  return decodeValue(blockType(attributesOf(type, kind)), answer).content as TypedBlock | null;
}

const types = new Map<SchemaAttributes, Type>();

function blockType(attributes: SchemaAttributes): Type {
  const known = types.get(attributes);
  const made: Type = known ?? [
    "object",
    Object.fromEntries(Object.entries(attributes).map(([name, each]) => [name, typeOf(each)])),
  ];
  types.set(attributes, made);
  return made;
}

function differences(step: string, before: TypedBlock, after: TypedBlock): string[] {
  return Object.keys(before)
    .filter((name) => !same(before[name] as Value, after[name] as Value) && !bothNull(before[name], after[name]))
    .map((name) => `${step}: ${name} has changed`);
}

function bothNull(left: Value | undefined, right: Value | undefined): boolean {
  return left?.content === null && right?.content === null;
}
