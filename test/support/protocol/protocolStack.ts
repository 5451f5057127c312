import { inClear, unknownValue, type Values } from "./messages";
import { type KnownResource, type ProviderClient, ProviderError } from "./providerClient";

/** The inputs may use outputs of earlier resources. */
export interface Declaration {
  name: string;
  type: string;
  inputs(outputOf: (resource: string, output: string) => unknown): Values;
}

export type StackOperation = "create" | "update" | "replace";

/** An operation on one resource in a preview or a run, with the values that are known at that time. */
export interface Step {
  operation: StackOperation;
  inputs: Values;
  outputs: Values;
}

/** A step for each changed resource, and the error that ended the preview or the run. */
export interface Pass {
  steps: Record<string, Step>;
  error: ProviderError | undefined;
}

/** The engine's record of one resource. `failed` is true if the engine got the state from an error. */
type ResourceRecord = KnownResource & { failed?: true };

/** The differences between Pulumi's two hosts of the provider: how they name resources, and which inputs they add. */
export interface HostDialect {
  client: ProviderClient;
  /** The abilities that the provider announces in its answer to `configure`. */
  abilities: { acceptsSecrets: boolean; supportsPreview: boolean };
  urnOf(type: string, name: string): string;
  /** The inputs that this host adds to a resource. */
  ownInputs(type: string, name: string): Values;
}

/**
 * A simulated engine that sends requests to a real provider process in the engine's order. It shows within milliseconds
 * what the provider does. Only tests with the real engine show what the engine does with the answers.
 */
export class ProtocolStack {
  readonly #records = new Map<string, ResourceRecord>();
  /** The resources that were replaced and are not deleted yet. */
  #replaced: { urn: string; known: KnownResource }[] = [];

  /** @param prefix the beginning of each resource name, which makes the names of this stack unique. */
  constructor(
    private readonly dialect: HostDialect,
    private readonly prefix: string,
  ) {}

  preview(program: readonly Declaration[]): Promise<Pass> {
    return this.#pass(program, true);
  }

  /** Stops at the first error, as the engine does if each resource depends on the previous one. */
  async up(program: readonly Declaration[]): Promise<Pass> {
    const pass = await this.#pass(program, false);
    if (pass.error === undefined) {
      for (const { urn, known } of this.#replaced.splice(0)) {
        await this.dialect.client.delete(urn, known);
      }
    }
    return pass;
  }

  async #pass(program: readonly Declaration[], preview: boolean): Promise<Pass> {
    const outputs = new Map<string, Values>();
    const steps: Record<string, Step> = {};
    for (const declaration of program) {
      const { name, type } = declaration;
      const outputOf = (resource: string, output: string) => {
        const value = outputs.get(resource)?.[output];
        return value === undefined && preview ? unknownValue : value;
      };
      try {
        const given = { ...declaration.inputs(outputOf), ...this.dialect.ownInputs(type, this.prefix + name) };
        const { step, result } = await this.#step(declaration, given, preview);
        outputs.set(name, result);
        if (step !== undefined) {
          steps[name] = step;
        }
      } catch (error) {
        if (!(error instanceof FailedStep)) {
          throw error;
        }
        steps[name] = error.step;
        return { steps, error: error.reason };
      }
    }
    return { steps, error: undefined };
  }

  async #step(
    { name, type }: Declaration,
    given: Values,
    preview: boolean,
  ): Promise<{ step: Step | undefined; result: Values }> {
    const { client } = this.dialect;
    const urn = this.dialect.urnOf(type, this.prefix + name);
    const record = this.#records.get(name);
    const inputs = await this.#check(urn, given, record?.inputs);
    if (record === undefined) {
      return this.#apply("create", name, urn, inputs, preview);
    }
    const { changes, replaces } = await client.diff(urn, record, inputs);
    if (replaces.length > 0) {
      const anew = await this.#check(urn, given, undefined);
      const made = await this.#apply("replace", name, urn, anew, preview);
      if (!preview) {
        this.#replaced.push({ urn, known: record });
      }
      return made;
    }
    if (changes || record.failed) {
      return this.#apply("update", name, urn, inputs, preview, record);
    }
    if (!preview) {
      this.#records.set(name, { ...record, inputs });
    }
    return { step: undefined, result: record.outputs };
  }

  async #apply(
    operation: StackOperation,
    name: string,
    urn: string,
    inputs: Values,
    preview: boolean,
    record?: ResourceRecord,
  ) {
    const { client, abilities } = this.dialect;
    if (preview && !abilities.supportsPreview) {
      return { step: { operation, inputs, outputs: inputs }, result: inputs };
    }
    try {
      const { id, outputs } =
        record === undefined
          ? await client.create(urn, inputs, preview)
          : { id: record.id, outputs: await client.update(urn, record, inputs, preview) };
      if (!preview) {
        this.#records.set(name, { id, inputs, outputs });
      }
      return { step: { operation, inputs, outputs }, result: inClear(outputs) };
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      if (error.saved !== undefined) {
        this.#records.set(name, { ...error.saved, inputs: record?.inputs ?? inputs, failed: true });
      }
      throw new FailedStep(error, { operation, inputs, outputs: {} });
    }
  }

  async #check(urn: string, given: Values, before: Values | undefined): Promise<Values> {
    const { inputs, failures } = await this.dialect.client.check(urn, given, before);
    if (failures.length > 0) {
      throw new Error(`${urn}: ${failures.map(({ property, reason }) => `${property} ${reason}`).join(", ")}`);
    }
    return inputs;
  }
}

class FailedStep extends Error {
  constructor(
    readonly reason: ProviderError,
    readonly step: Step,
  ) {
    super(reason.message);
  }
}
