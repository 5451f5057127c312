import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CreateResponse, GetSchemaResponse, ReadResponse, UpdateResponse } from "@pulumi/pulumi/proto/provider_pb";
import { cancelRun } from "../cancellation";
import { attachTo } from "../engineAddress";
import { checkResponse } from "./checkResponse";
import { checkConfig, configureResponse, diffConfig, settingsOf } from "./configuration";
import { invoke } from "./invoke";
import { packageVersion, schemaText } from "./packageFiles";
import type { PluginResource, ResourceRequest } from "./pluginResource";
import { readProperties, writeProperties } from "./properties";
import { Empty, type Struct } from "./protocol";
import { type ProviderSettings, providerSettings } from "./providerSettings";
import { resourceTable } from "./resourceTable";
import { asRpcError, badRequest } from "./rpcError";

/** The methods of the protocol that this provider has; to any other the library answers that it is not implemented. */
export function createService(): Partial<IResourceProviderServer> {
  // Until the engine configures this process, only its environment is known.
  let settings = providerSettings({}, true, process.env);

  const read = (message: Message) => readRequest(message, settings);

  return {
    getSchema: unary(() => new GetSchemaResponse().setSchema(schemaText())),
    getPluginInfo: unary(() => new PluginInfo().setVersion(packageVersion())),
    attach: unary((message) => {
      attachTo(message.getAddress());
      return new Empty();
    }),
    cancel: unary(() => {
      cancelRun();
      return new Empty();
    }),
    checkConfig: unary(checkConfig),
    diffConfig: unary(diffConfig),
    configure: unary((message) => {
      settings = settingsOf(message);
      return configureResponse();
    }),
    invoke: unary((message) => invoke(message, settings)),
    check: unary((message) => {
      const { inputs, failures } = resourceOf(message).check(read(message));
      return checkResponse(inputs, failures);
    }),
    diff: unary((message) => resourceOf(message).diff(read(message))),
    create: unary(async (message) => {
      const request = { ...read(message), news: readProperties(message.getProperties()) };
      const { id, state } = await resourceOf(message).create(request);
      return new CreateResponse().setId(id).setProperties(writeProperties(state.values, state.secrets));
    }),
    read: unary(async (message) => {
      const [olds, oldInputs] = [readProperties(message.getProperties()), readProperties(message.getInputs())];
      const found = await resourceOf(message).read({ ...read(message), olds, oldInputs });
      return readResponse(message.getId(), found);
    }),
    update: unary(async (message) => {
      const state = await resourceOf(message).update(read(message));
      return new UpdateResponse().setProperties(writeProperties(state.values, state.secrets));
    }),
    delete: unary(async (message) => {
      await resourceOf(message).delete({ ...read(message), olds: readProperties(message.getProperties()) });
      return new Empty();
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

function readRequest(message: Message, settings: ProviderSettings): ResourceRequest {
  return {
    urn: message.getUrn(),
    id: message.getId?.() ?? "",
    settings,
    olds: readProperties(message.getOlds?.()),
    oldInputs: readProperties(message.getOldInputs?.()),
    news: readProperties(message.getNews?.()),
    preview: message.getPreview?.() ?? false,
    timeLimit: (message.getTimeout?.() || undefined) && Number(message.getTimeout?.()) * 1_000,
  };
}

function readResponse(id: string, found: Awaited<ReturnType<PluginResource["read"]>>): ReadResponse {
  const response = new ReadResponse();
  // Without an id it is gone.
  return found === undefined
    ? response
    : response
        .setId(id)
        .setProperties(writeProperties(found.state.values, found.state.secrets))
        .setInputs(found.inputs && writeProperties(found.inputs.values, found.inputs.secrets));
}

function resourceOf(message: Message): PluginResource {
  const type = /^urn:pulumi:[^:]*::[^:]*::(?:.*\$)?([^$]+?)::/.exec(message.getUrn())?.[1] ?? message.getUrn();
  const resource = resourceTable[type.replace(/^docs-platform:index:/, "")];
  if (resource === undefined) {
    throw badRequest(`there is no resource ${type}; there are ${Object.keys(resourceTable).join(", ")}`);
  }
  return resource;
}

/** A method that takes one message and answers with one. */
function unary<Request, Response>(answer: (request: Request) => Response | Promise<Response>) {
  return (
    call: { request: Request },
    callback: (error: ReturnType<typeof asRpcError> | null, response?: Response) => void,
  ) => {
    (async () => answer(call.request))().then(
      (response) => callback(null, response),
      (error: unknown) => callback(asRpcError(error)),
    );
  };
}
