import { credentials } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { emptyAnswer, messages, ResourceProviderClient, Status, Struct, type Values } from "./messages";

export interface KnownResource {
  id: string;
  inputs: Values;
  outputs: Values;
}

type Found = Omit<KnownResource, "inputs">;

/** An error answer of the provider. `saved` is the state in this answer, if it has one. */
export class ProviderError extends Error {
  constructor(
    message: string,
    readonly saved: Found | undefined,
  ) {
    super(message);
  }
}

interface CheckAnswer {
  inputs: Values;
  failures: { property: string; reason: string }[];
}

type Messages = typeof messages;
type MessageOf<Name extends keyof Messages> = Messages[Name] extends new () => infer Message ? Message : never;

/**
 * A client of a provider process. It has its own connection, because the engine uses one for each provider. Each method
 * throws a ProviderError if the provider answers with an error.
 */
export class ProviderClient {
  readonly #client;

  constructor(port: number) {
    // Without this option, all clients of this process would share one connection.
    const options = { "grpc.use_local_subchannel_pool": 1 };
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), options);
    onTestFinished(() => this.#client.close());
  }

  async handshake(abilities: { invokeWithPreview?: true; acceptsOutputsInInvoke?: true }): Promise<object> {
    return (
      await this.#ask("handshake", "ProviderHandshakeRequest", "ProviderHandshakeResponse", abilities)
    ).toObject();
  }

  cancel(): Promise<unknown> {
    return this.#call("cancel", emptyAnswer);
  }

  /** @param name the name of the provider resource. `default` is the engine's name for the default provider. */
  async configure(args: Values, name = "default"): Promise<{ acceptsSecrets: boolean; supportsPreview: boolean }> {
    const request = { urn: providerUrn(name), args };
    const answer = await this.#ask("configure", "ConfigureRequest", "ConfigureResponse", request);
    return { acceptsSecrets: answer.getAcceptsecrets(), supportsPreview: answer.getSupportspreview() };
  }

  checkConfig(news: Values, name = "default"): Promise<CheckAnswer> {
    return this.#check("checkConfig", { urn: providerUrn(name), news });
  }

  diffConfig(oldInputs: Values, news: Values): Promise<{ changes: boolean; replaces: string[] }> {
    return this.#diff("diffConfig", { urn: providerUrn("default"), oldInputs, news });
  }

  check(urn: string, news: Values, olds: Values = {}): Promise<CheckAnswer> {
    return this.#check("check", { urn, olds, news });
  }

  diff(urn: string, { id, inputs, outputs }: KnownResource, news: Values) {
    return this.#diff("diff", { urn, id, olds: outputs, oldInputs: inputs, news });
  }

  async create(urn: string, properties: Values, preview = false): Promise<Found> {
    const answer = await this.#ask("create", "CreateRequest", "CreateResponse", { urn, properties, preview });
    return { id: answer.getId(), outputs: valuesOf(answer.getProperties()) };
  }

  /** @returns undefined if the resource no longer exists. */
  async read(urn: string, { id, inputs, outputs }: KnownResource): Promise<Found | undefined> {
    const answer = await this.#ask("read", "ReadRequest", "ReadResponse", { urn, id, inputs, properties: outputs });
    return answer.getId() === "" ? undefined : { id: answer.getId(), outputs: valuesOf(answer.getProperties()) };
  }

  async update(urn: string, { id, inputs, outputs }: KnownResource, news: Values, preview = false): Promise<Values> {
    const request = { urn, id, olds: outputs, oldInputs: inputs, news, preview };
    return valuesOf((await this.#ask("update", "UpdateRequest", "UpdateResponse", request)).getProperties());
  }

  async delete(urn: string, { id, outputs }: Found): Promise<void> {
    await this.#call("delete", filled("DeleteRequest", { urn, id, properties: outputs }));
  }

  /** @returns the result of the function, or the errors that the provider found in the arguments. */
  async invoke(
    name: string,
    args: Values,
    preview = false,
  ): Promise<{ result: Values; failures: CheckAnswer["failures"] }> {
    const request = { tok: `docs-platform:index:${name}`, preview, args };
    const answer = await this.#ask("invoke", "InvokeRequest", "InvokeResponse", request);
    return {
      result: valuesOf(answer.getReturn()),
      failures: answer.getFailuresList().map((failure) => failure.toObject()),
    };
  }

  async #check(method: string, request: Values): Promise<CheckAnswer> {
    const answer = await this.#ask(method, "CheckRequest", "CheckResponse", request);
    return {
      inputs: valuesOf(answer.getInputs()),
      failures: answer.getFailuresList().map((failure) => failure.toObject()),
    };
  }

  async #diff(method: string, request: Values): Promise<{ changes: boolean; replaces: string[] }> {
    const answer = await this.#ask(method, "DiffRequest", "DiffResponse", request);
    const changes = answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
    return { changes, replaces: answer.getReplacesList() };
  }

  /** @param _answer the name of the answer's message class. It only sets the type. */
  #ask<Name extends keyof Messages>(
    method: string,
    request: keyof Messages,
    _answer: Name,
    fields: Values,
  ): Promise<MessageOf<Name>> {
    return this.#call(method, filled(request, fields));
  }

  #call<Answer>(method: string, request: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#client[method](request, (error: Failure | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(new ProviderError(error.details, savedBy(error))),
      );
    });
  }
}

/** Makes a message of the SDK. A field that is an object becomes a Struct. */
function filled(name: keyof Messages, fields: Values): unknown {
  const message = Reflect.construct(messages[name] as new () => object, []);
  for (const [field, value] of Object.entries(fields)) {
    const setter = `set${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    Reflect.get(message, setter).call(message, typeof value === "object" ? Struct.fromJavaScript({ ...value }) : value);
  }
  return message;
}

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

function savedBy({ metadata }: Failure): Found | undefined {
  const [status] = metadata.get("grpc-status-details-bin");
  if (!(status instanceof Buffer)) {
    return undefined;
  }
  const [detail] = Status.deserializeBinary(status).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return { id: failed.getId(), outputs: valuesOf(failed.getProperties()) };
}

function valuesOf(struct: { toJavaScript(): object } | undefined): Values {
  return { ...struct?.toJavaScript() };
}
