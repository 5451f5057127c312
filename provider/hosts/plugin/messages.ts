import {
  booleanField,
  bytes,
  double,
  type MessageContent,
  mapField,
  message,
  repeatedField,
  repeatedText,
  text,
  wholeNumber,
} from "../../rpc/protobuf";
import { struct } from "../../rpc/struct";

/*
 * The messages of Pulumi's protocol that this provider receives and sends. Each message has only the fields that this
 * provider uses, each with its number. `provider.proto` and `plugin.proto` in Pulumi's source contain the complete
 * messages. An older engine skips a field that it does not know.
 */

const empty = message({});

const checkFailure = message({ property: text(1), reason: text(2) });
const checkRequest = message({ urn: text(1), olds: struct(2), news: struct(3) });
const checkResponse = message({ inputs: struct(1), failures: repeatedField(2, checkFailure) });

export const diffKind = { add: 0, addReplace: 1, delete: 2, deleteReplace: 3, update: 4, updateReplace: 5 } as const;
export const diffChanges = { none: 1, some: 2 } as const;

const diffRequest = message({ id: text(1), urn: text(2), olds: struct(3), news: struct(4), oldInputs: struct(6) });
const diffResponse = message({
  replaces: repeatedText(1),
  stables: repeatedText(2),
  changes: wholeNumber(4),
  diffs: repeatedText(5),
  detailedDiff: mapField(6, message({ kind: wholeNumber(1), inputDiff: booleanField(2) })),
  hasDetailedDiff: booleanField(7),
});

/** The methods of the protocol. A timeout is in seconds, or 0 if the program sets none. */
export const pluginMethods = {
  Handshake: {
    request: message({ invokeWithPreview: booleanField(7), acceptsOutputsInInvoke: booleanField(13) }),
    response: message({ acceptSecrets: booleanField(1), acceptsOutputsInInvoke: booleanField(7) }),
  },
  GetPluginInfo: { request: empty, response: message({ version: text(1) }) },
  GetSchema: { request: empty, response: message({ schema: text(1) }) },
  Cancel: { request: empty, response: empty },
  CheckConfig: { request: checkRequest, response: checkResponse },
  DiffConfig: { request: diffRequest, response: diffResponse },
  Configure: {
    request: message({ args: struct(2), urn: text(8) }),
    response: message({ acceptSecrets: booleanField(1), supportsPreview: booleanField(2) }),
  },
  Invoke: {
    request: message({ tok: text(1), args: struct(2), preview: booleanField(7) }),
    response: message({ return: struct(1), failures: repeatedField(2, checkFailure) }),
  },
  Check: { request: checkRequest, response: checkResponse },
  Diff: { request: diffRequest, response: diffResponse },
  Create: {
    request: message({ urn: text(1), properties: struct(2), timeout: double(3), preview: booleanField(4) }),
    response: message({ id: text(1), properties: struct(2) }),
  },
  Read: {
    request: message({ id: text(1), urn: text(2), properties: struct(3), inputs: struct(4) }),
    response: message({ id: text(1), properties: struct(2), inputs: struct(3) }),
  },
  Update: {
    request: message({
      id: text(1),
      urn: text(2),
      olds: struct(3),
      news: struct(4),
      timeout: double(5),
      preview: booleanField(7),
      oldInputs: struct(8),
    }),
    response: message({ properties: struct(1) }),
  },
  Delete: {
    request: message({ id: text(1), urn: text(2), properties: struct(3), timeout: double(4) }),
    response: empty,
  },
};

export interface EngineAbilities {
  /** True if the engine accepts output values as results of functions. An output value may be unknown. */
  takesOutputs: boolean;
}

export type PluginMethods = typeof pluginMethods;
export type PluginRequest<Name extends keyof PluginMethods> = MessageContent<PluginMethods[Name]["request"]>;
export type PluginResponse<Name extends keyof PluginMethods> = MessageContent<PluginMethods[Name]["response"]>;

export const initFailure = message({ id: text(1), properties: struct(2), reasons: repeatedText(3) });

const any = message({ typeUrl: text(1), value: bytes(2) });
export const errorStatus = message({ code: wholeNumber(1), message: text(2), details: repeatedField(3, any) });
