import { credentials } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { emptyAnswer, messages, PluginAttach, ResourceProviderClient, Status, Struct, type Values } from "./messages";

/** The known parts of a resource after a failed create or update, which the engine saves. */
export interface PartlySaved {
  id: string;
  outputs: Values;
  reasons: string[];
}

/** An error of the provider, with the resource that the engine saves, if any. */
export class ProviderError extends Error {
  constructor(
    message: string,
    readonly saved: PartlySaved | undefined,
  ) {
    super(message);
  }
}

export interface CheckAnswer {
  inputs: Values;
  failures: { property: string; reason: string }[];
}

export interface DiffAnswer {
  changes: boolean;
  replaces: string[];
  /** The inputs and outputs that an update leaves alone. */
  stables: string[];
  /** The kind of change by the name of the input; undefined if the provider gives none. */
  detailed: Record<string, string> | undefined;
}

/** The engine's record of a resource. */
export interface KnownResource {
  id: string;
  inputs: Values;
  outputs: Values;
}

/** The settings of a run's create or update. */
export interface Way {
  preview?: boolean;
  /** Seconds, of `customTimeouts`. */
  timeout?: number;
}

/**
 * A client of a provider process on a connection of its own, as the engine has one for each provider. It is closed with
 * the test.
 */
export class ProviderClient {
  readonly #client;

  constructor(port: number) {
    // By default all clients of this process would share one connection.
    const options = { "grpc.use_local_subchannel_pool": 1 };
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), options);
    onTestFinished(() => this.#client.close());
  }

  attach(engine: string): Promise<unknown> {
    return this.#ask("attach", new PluginAttach().setAddress(engine));
  }

  /** @param abilities the engine's abilities, by the setters of the message. */
  async handshake(...abilities: ("setInvokeWithPreview" | "setAcceptsOutputsInInvoke")[]): Promise<object> {
    const request = new messages.ProviderHandshakeRequest();
    for (const ability of abilities) {
      request[ability](true);
    }
    return (await this.#ask<InstanceType<typeof messages.ProviderHandshakeResponse>>("handshake", request)).toObject();
  }

  cancel(): Promise<unknown> {
    return this.#ask("cancel", emptyAnswer);
  }

  /** @param name the name of the provider; by default the engine's name for the default provider. */
  async configure(args: Values, name = "default"): Promise<{ acceptsSecrets: boolean; supportsPreview: boolean }> {
    const request = new messages.ConfigureRequest().setUrn(providerUrn(name)).setArgs(Struct.fromJavaScript(args));
    const answer = await this.#ask<InstanceType<typeof messages.ConfigureResponse>>("configure", request);
    return { acceptsSecrets: answer.getAcceptsecrets(), supportsPreview: answer.getSupportspreview() };
  }

  /** @param name the name of the provider, as in {@link configure}. */
  async checkConfig(args: Values, name = "default"): Promise<CheckAnswer> {
    const request = new messages.CheckRequest().setUrn(providerUrn(name)).setNews(Struct.fromJavaScript(args));
    return checkAnswer(await this.#ask("checkConfig", request));
  }

  async diffConfig(before: Values, after: Values): Promise<DiffAnswer> {
    const request = new messages.DiffRequest()
      .setUrn(providerUrn("default"))
      .setOldInputs(Struct.fromJavaScript(before))
      .setNews(Struct.fromJavaScript(after));
    return diffAnswer(await this.#ask("diffConfig", request));
  }

  async check(urn: string, news: Values, olds: Values = {}): Promise<CheckAnswer> {
    const request = new messages.CheckRequest()
      .setUrn(urn)
      .setOlds(Struct.fromJavaScript(olds))
      .setNews(Struct.fromJavaScript(news));
    return checkAnswer(await this.#ask("check", request));
  }

  async diff(urn: string, { id, inputs, outputs }: KnownResource, news: Values): Promise<DiffAnswer> {
    const request = new messages.DiffRequest()
      .setUrn(urn)
      .setId(id)
      .setOlds(Struct.fromJavaScript(outputs))
      .setOldInputs(Struct.fromJavaScript(inputs))
      .setNews(Struct.fromJavaScript(news));
    return diffAnswer(await this.#ask("diff", request));
  }

  /** @throws ProviderError */
  async create(
    urn: string,
    inputs: Values,
    { preview = false, timeout = 0 }: Way = {},
  ): Promise<Omit<KnownResource, "inputs">> {
    const request = new messages.CreateRequest()
      .setUrn(urn)
      .setProperties(Struct.fromJavaScript(inputs))
      .setPreview(preview)
      .setTimeout(timeout);
    const answer = await this.#ask<InstanceType<typeof messages.CreateResponse>>("create", request);
    return { id: answer.getId(), outputs: valuesOf(answer.getProperties()) };
  }

  /** Resolves with undefined if the engine would drop the resource. */
  async read(urn: string, { id, inputs, outputs }: KnownResource): Promise<Omit<KnownResource, "inputs"> | undefined> {
    const request = new messages.ReadRequest()
      .setUrn(urn)
      .setId(id)
      .setInputs(Struct.fromJavaScript(inputs))
      .setProperties(Struct.fromJavaScript(outputs));
    const answer = await this.#ask<InstanceType<typeof messages.ReadResponse>>("read", request);
    return answer.getId() === "" ? undefined : { id: answer.getId(), outputs: valuesOf(answer.getProperties()) };
  }

  /** @throws ProviderError */
  async update(
    urn: string,
    known: KnownResource,
    news: Values,
    { preview = false, timeout = 0 }: Way = {},
  ): Promise<Values> {
    const request = new messages.UpdateRequest()
      .setUrn(urn)
      .setId(known.id)
      .setOlds(Struct.fromJavaScript(known.outputs))
      .setOldInputs(Struct.fromJavaScript(known.inputs))
      .setNews(Struct.fromJavaScript(news))
      .setPreview(preview)
      .setTimeout(timeout);
    return valuesOf((await this.#ask<InstanceType<typeof messages.UpdateResponse>>("update", request)).getProperties());
  }

  async delete(urn: string, { id, outputs }: Omit<KnownResource, "inputs">): Promise<void> {
    const request = new messages.DeleteRequest().setUrn(urn).setId(id).setProperties(Struct.fromJavaScript(outputs));
    await this.#ask("delete", request);
  }

  /** @returns the result, or the faults of the arguments. */
  async invoke(
    name: string,
    args: Values,
    { preview = false }: Pick<Way, "preview"> = {},
  ): Promise<{ result: Values; failures: CheckAnswer["failures"] }> {
    const request = new messages.InvokeRequest()
      .setTok(`docs-platform:index:${name}`)
      .setPreview(preview)
      .setArgs(Struct.fromJavaScript(args));
    const answer = await this.#ask<InstanceType<typeof messages.InvokeResponse>>("invoke", request);
    return {
      result: valuesOf(answer.getReturn()),
      failures: answer.getFailuresList().map((failure) => failure.toObject()),
    };
  }

  #ask<Answer>(method: string, request: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#client[method](request, (error: Failure | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(new ProviderError(error.details, savedBy(error))),
      );
    });
  }
}

/** The URN of a resource of the plugin. */
export function urnOf(type: string, name: string): string {
  return `${stack}docs-platform:index:${type}::${name}`;
}

const stack = "urn:pulumi:test::project::";

function providerUrn(name: string): string {
  return `${stack}pulumi:providers:docs-platform::${name}`;
}

interface Failure {
  details: string;
  metadata: { get(name: string): (string | Buffer)[] };
}

function savedBy({ metadata }: Failure): PartlySaved | undefined {
  const [status] = metadata.get("grpc-status-details-bin");
  if (!(status instanceof Buffer)) {
    return undefined;
  }
  const [detail] = Status.deserializeBinary(status).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return { id: failed.getId(), outputs: valuesOf(failed.getProperties()), reasons: failed.getReasonsList() };
}

function checkAnswer(answer: InstanceType<typeof messages.CheckResponse>): CheckAnswer {
  return {
    inputs: valuesOf(answer.getInputs()),
    failures: answer.getFailuresList().map((failure) => failure.toObject()),
  };
}

function diffAnswer(answer: InstanceType<typeof messages.DiffResponse>): DiffAnswer {
  const kinds = new Map(Object.entries(messages.PropertyDiff.Kind).map(([name, kind]) => [kind, name]));
  const detailed: Record<string, string> = {};
  answer.getDetaileddiffMap().forEach((property, name) => {
    detailed[name] = kinds.get(property.getKind()) ?? "";
  });
  return {
    changes: answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
    replaces: answer.getReplacesList(),
    stables: answer.getStablesList(),
    detailed: answer.getHasdetaileddiff() ? detailed : undefined,
  };
}

function valuesOf(struct: { toJavaScript(): object } | undefined): Values {
  return { ...struct?.toJavaScript() };
}
