import { type BlockSchema, providerSchema } from "../../../provider/hosts/terraform/schema";
import type { TerraformService } from "../../../provider/hosts/terraform/service";
import { type BlockValues, encodeDynamicValue, readBlock } from "../../../provider/hosts/terraform/values";
import {
  type Diagnostic,
  severity,
  type TerraformMethods,
  type TerraformResponse,
  terraformMethods,
} from "../../../provider/hosts/terraform/wire/messages";
import type { ObjectRecord, RunMessages } from "./core";

export interface Opened {
  readonly service: TerraformService;
  end(): Promise<void>;
}

/** Thrown if the provider answers with an error. Such an answer does not count as a fault of the provider. */
export class Refused extends Error {}

/** Returns all attributes of a configuration. An attribute that is not set is null. */
export function wholeConfig(type: string, given: BlockValues): BlockValues {
  return wholeBlock(providerSchema.resources[type] as BlockSchema, given);
}

function wholeBlock({ attributes }: Pick<BlockSchema, "attributes">, given: BlockValues): BlockValues {
  return Object.fromEntries(Object.keys(attributes).map((name) => [name, given[name] ?? null]));
}

/** Terraform's calls during one plan or apply. Each message is encoded and decoded, as between two processes. */
export class Walk {
  constructor(
    private readonly service: TerraformService,
    private readonly messages: RunMessages,
  ) {}

  async configure(given: BlockValues, applies: boolean): Promise<void> {
    const config = encodeDynamicValue(wholeBlock(providerSchema.provider, given));
    await this.#call("", "ValidateProviderConfig", { config });
    const clientCapabilities = { deferralAllowed: applies };
    await this.#call("", "ConfigureProvider", { config, terraformVersion: "1.11.4", clientCapabilities });
  }

  fault(address: string, text: string): void {
    this.messages.faults.push(`${address}: ${text}`);
  }

  async validate(address: string, type: string, config: BlockValues): Promise<void> {
    await this.#call(address, "ValidateResourceConfig", { typeName: type, config: encodeDynamicValue(config) });
  }

  async read(address: string, type: string, saved: ObjectRecord): Promise<ObjectRecord | undefined> {
    const currentState = encodeDynamicValue(saved.block);
    const answer = await this.#call(address, "ReadResource", { typeName: type, currentState, private: saved.private });
    const block = readBlock(answer.newState);
    return block && { ...saved, block, private: answer.private };
  }

  /** @param proposed null if the resource is to be deleted. */
  async plan(
    address: string,
    type: string,
    prior: BlockValues | null,
    proposed: BlockValues | null,
    bytes: Uint8Array | undefined,
  ): Promise<{ block: BlockValues | null; replaces: string[]; private: Uint8Array | undefined }> {
    const answer = await this.#call(address, "PlanResourceChange", {
      typeName: type,
      priorState: encodeDynamicValue(prior),
      proposedNewState: encodeDynamicValue(proposed && proposedOf(type, prior, proposed)),
      config: encodeDynamicValue(proposed),
      priorPrivate: bytes,
    });
    const block = readBlock(answer.plannedState) ?? null;
    if ((block === null) !== (proposed === null)) {
      throw new Error("plan: a resource that is not as it was asked for");
    }
    const replaces = (answer.requiresReplace ?? []).map(({ steps }) => steps?.[0]?.attributeName ?? "");
    return { block, replaces, private: answer.plannedPrivate };
  }

  async apply(
    address: string,
    type: string,
    prior: BlockValues | null,
    planned: BlockValues | null,
    config: BlockValues | null,
    bytes: Uint8Array | undefined,
  ): Promise<{ block: BlockValues | undefined; private: Uint8Array | undefined; failed: boolean }> {
    const asked = {
      typeName: type,
      priorState: encodeDynamicValue(prior),
      plannedState: encodeDynamicValue(planned),
      config: encodeDynamicValue(config),
      plannedPrivate: bytes,
    };
    const answer = await this.#call(address, "ApplyResourceChange", asked, true);
    const failed = (answer.diagnostics ?? []).some((each) => each.severity === severity.error);
    const block = readBlock(answer.newState);
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
    const block = readBlock(found?.state);
    if (importedResources.length !== 1 || block === undefined) {
      throw new Error("import: there must be one object");
    }
    return { block, private: found?.private, tainted: false };
  }

  async #call<Name extends keyof TerraformMethods>(
    address: string,
    name: Name,
    asked: object,
    mayFail = false,
  ): Promise<TerraformResponse<Name>> {
    const { request, response } = terraformMethods[name] as { request: Codec; response: Codec };
    const diagnostics: Diagnostic[] = [];
    const answer = await this.service.call(name, request.decode(request.encode(asked)) as object, diagnostics);
    const decoded = response.decode(response.encode(answer)) as { diagnostics?: Diagnostic[] };
    const all = [...(decoded.diagnostics ?? []), ...diagnostics];
    for (const { severity: how, summary = "", detail = "" } of all) {
      const list = how === severity.error ? this.messages.errors : this.messages.warnings;
      list.push({ address, text: `${summary}\n${detail}` });
    }
    if (!mayFail && all.some((each) => each.severity === severity.error)) {
      throw new Refused();
    }
    return { ...decoded, diagnostics: all } as TerraformResponse<Name>;
  }
}

interface Codec {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** Returns the proposed values: the configuration, with the old value of each unset computed attribute. */
function proposedOf(type: string, prior: BlockValues | null, config: BlockValues): BlockValues {
  const { attributes } = providerSchema.resources[type] as BlockSchema;
  const entries = Object.entries(config).map(([name, value]) => {
    const isKept = attributes[name]?.computed && value === null;
    return [name, isKept ? (prior?.[name] ?? value) : value];
  });
  return Object.fromEntries(entries);
}
