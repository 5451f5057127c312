import type { Metadata } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CreateResponse, GetSchemaResponse, ReadResponse, UpdateResponse } from "@pulumi/pulumi/proto/provider_pb";
import { resources } from "../../definitions/index";
import { packageVersion } from "../../support/packageVersion";
import type { PulumiSession } from "../pulumi/session";
import { checkResponse } from "./checkResponse";
import {
  checkConfig,
  configureResponse,
  diffConfig,
  handshakeResponse,
  settingsOf,
  takesOutputs,
} from "./configuration";
import { invoke } from "./invoke";
import { readProperties, writeProperties } from "./properties";
import { empty, type Struct } from "./protocol";
import { type ProviderInstance, ProviderInstances } from "./providerInstances";
import { ResourceCalls, type ResourceRequest } from "./resourceCalls";
import { asRpcError, badRequest } from "./rpcError";

/** The methods of the protocol that this provider has; to any other the library answers that it is not implemented. */
export function createService(session: PulumiSession): Partial<IResourceProviderServer> {
  const providers = new ProviderInstances(session);
  const calls = Object.fromEntries(
    Object.entries(resources).map(([name, definition]) => [name, new ResourceCalls(definition, session)]),
  );
  const read = (message: Message, peer: string) => readRequest(message, providers.of(peer));
  const resourceOf = (message: Message) => callsFor(message, calls);
  const unary = <Request, Response>(answer: Answer<Request, Response>) => method(answer, session);

  return {
    getSchema: unary(() => new GetSchemaResponse().setSchema(JSON.stringify(require("#schema")))),
    getPluginInfo: unary(() => new PluginInfo().setVersion(packageVersion())),
    handshake: unary((message, peer) => {
      const takes = takesOutputs(message);
      if (takes) providers.takingOutputs.add(peer);
      return handshakeResponse(takes);
    }),
    attach: unary((message, peer) => {
      providers.attach(peer, message.getAddress());
      return empty;
    }),
    cancel: unary((_, peer) => {
      providers.of(peer).cancel();
      return empty;
    }),
    checkConfig: unary(checkConfig),
    diffConfig: unary(diffConfig),
    configure: unary((message, peer) => {
      providers.of(peer).configure(settingsOf(message));
      return configureResponse();
    }),
    invoke: unary((message, peer) => invoke(message, providers.of(peer), session, providers.takingOutputs.has(peer))),
    check: unary((message, peer) => {
      const { inputs, failures } = resourceOf(message).check(read(message, peer));
      return checkResponse(inputs, failures);
    }),
    diff: unary((message, peer) => resourceOf(message).diff(read(message, peer))),
    create: unary(async (message, peer) => {
      const request = { ...read(message, peer), news: readProperties(message.getProperties()) };
      const { id, state } = await resourceOf(message).create(request);
      return new CreateResponse().setId(id).setProperties(writeProperties(state.values, state.secrets));
    }),
    read: unary(async (message, peer) => {
      const [olds, oldInputs] = [readProperties(message.getProperties()), readProperties(message.getInputs())];
      const found = await resourceOf(message).read({ ...read(message, peer), olds, oldInputs });
      return readResponse(message.getId(), found);
    }),
    update: unary(async (message, peer) => {
      const state = await resourceOf(message).update(read(message, peer));
      return new UpdateResponse().setProperties(writeProperties(state.values, state.secrets));
    }),
    delete: unary(async (message, peer) => {
      await resourceOf(message).delete({ ...read(message, peer), olds: readProperties(message.getProperties()) });
      return empty;
    }),
  };
}

/** What the requests for a resource have in common; no request has all of it. */
interface Message {
  getUrn(): string;
  getId?(): string;
  getOlds?(): Struct | undefined;
  getOldInputs?(): Struct | undefined;
  getNews?(): Struct | undefined;
  getPreview?(): boolean;
  /** Seconds; 0 where the program sets none. */
  getTimeout?(): number;
}

function readRequest(message: Message, provider: ProviderInstance): ResourceRequest {
  return {
    urn: message.getUrn(),
    id: message.getId?.() ?? "",
    provider,
    olds: readProperties(message.getOlds?.()),
    oldInputs: readProperties(message.getOldInputs?.()),
    news: readProperties(message.getNews?.()),
    preview: message.getPreview?.() ?? false,
    timeLimit: (message.getTimeout?.() || undefined) && Number(message.getTimeout?.()) * 1_000,
  };
}

function readResponse(id: string, found: Awaited<ReturnType<ResourceCalls["read"]>>): ReadResponse {
  const response = new ReadResponse();
  // Without an id it is gone.
  return found === undefined
    ? response
    : response
        .setId(id)
        .setProperties(writeProperties(found.state.values, found.state.secrets))
        .setInputs(found.inputs && writeProperties(found.inputs.values, found.inputs.secrets));
}

function callsFor(message: Message, calls: Readonly<Record<string, ResourceCalls>>): ResourceCalls {
  const type = /^urn:pulumi:[^:]*::[^:]*::(?:.*\$)?([^$]+?)::/.exec(message.getUrn())?.[1] ?? message.getUrn();
  const found = calls[type.replace(/^docs-platform:index:/, "")];
  if (found === undefined) {
    throw badRequest(`there is no resource ${type}; there are ${Object.keys(calls).join(", ")}`);
  }
  return found;
}

type Answer<Request, Response> = (request: Request, peer: string) => Response | Promise<Response>;

/** What we use of a call; its metadata names the engine's span where the engine is traced. */
interface Call<Request> {
  request: Request;
  metadata: Metadata;
  getPeer(): string;
}

/** A method that takes one message, of the other end of a connection, and answers with one. */
function method<Request, Response>(answer: Answer<Request, Response>, { trace }: PulumiSession) {
  return (
    call: Call<Request>,
    callback: (error: ReturnType<typeof asRpcError> | null, response?: Response) => void,
  ) => {
    const [parent] = call.metadata.get("traceparent");
    trace
      .below(parent?.toString(), async () => answer(call.request, call.getPeer()))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(asRpcError(error)),
      );
  };
}
