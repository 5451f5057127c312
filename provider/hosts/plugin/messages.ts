import {
  booleanField,
  bytesField,
  type DecodedMessage,
  defineMessage,
  doubleField,
  mapField,
  repeatedField,
  repeatedText,
  textField,
  varintField,
} from "../../rpc/protobuf";
import { structField } from "../../rpc/struct";

/** Only the fields that this provider uses: `provider.proto` and `plugin.proto` in Pulumi's source have all fields. */

const empty = defineMessage({});

const checkFailure = defineMessage({ property: textField(1), reason: textField(2) });
const checkRequest = defineMessage({ urn: textField(1), olds: structField(2), news: structField(3) });
const checkResponse = defineMessage({ inputs: structField(1), failures: repeatedField(2, checkFailure) });

export const diffKind = { add: 0, addReplace: 1, delete: 2, deleteReplace: 3, update: 4, updateReplace: 5 } as const;
export const diffChanges = { none: 1, some: 2 } as const;

const diffRequest = defineMessage({
  id: textField(1),
  urn: textField(2),
  olds: structField(3),
  news: structField(4),
  oldInputs: structField(6),
});
const diffResponse = defineMessage({
  replaces: repeatedText(1),
  stables: repeatedText(2),
  changes: varintField(4),
  diffs: repeatedText(5),
  detailedDiff: mapField(6, defineMessage({ kind: varintField(1), inputDiff: booleanField(2) })),
  hasDetailedDiff: booleanField(7),
});

/** A timeout is in seconds, or 0 if the program sets none. */
export const pluginMethods = {
  Handshake: {
    request: defineMessage({ invokeWithPreview: booleanField(7), acceptsOutputsInInvoke: booleanField(13) }),
    response: defineMessage({ acceptSecrets: booleanField(1), acceptsOutputsInInvoke: booleanField(7) }),
  },
  GetPluginInfo: { request: empty, response: defineMessage({ version: textField(1) }) },
  GetSchema: { request: empty, response: defineMessage({ schema: textField(1) }) },
  Cancel: { request: empty, response: empty },
  CheckConfig: { request: checkRequest, response: checkResponse },
  DiffConfig: { request: diffRequest, response: diffResponse },
  Configure: {
    request: defineMessage({ args: structField(2), urn: textField(8) }),
    response: defineMessage({ acceptSecrets: booleanField(1), supportsPreview: booleanField(2) }),
  },
  Invoke: {
    request: defineMessage({ tok: textField(1), args: structField(2), preview: booleanField(7) }),
    response: defineMessage({ return: structField(1), failures: repeatedField(2, checkFailure) }),
  },
  Check: { request: checkRequest, response: checkResponse },
  Diff: { request: diffRequest, response: diffResponse },
  Create: {
    request: defineMessage({
      urn: textField(1),
      properties: structField(2),
      timeout: doubleField(3),
      preview: booleanField(4),
    }),
    response: defineMessage({ id: textField(1), properties: structField(2) }),
  },
  Read: {
    request: defineMessage({ id: textField(1), urn: textField(2), properties: structField(3), inputs: structField(4) }),
    response: defineMessage({ id: textField(1), properties: structField(2), inputs: structField(3) }),
  },
  Update: {
    request: defineMessage({
      id: textField(1),
      urn: textField(2),
      olds: structField(3),
      news: structField(4),
      timeout: doubleField(5),
      preview: booleanField(7),
      oldInputs: structField(8),
    }),
    response: defineMessage({ properties: structField(1) }),
  },
  Delete: {
    request: defineMessage({
      id: textField(1),
      urn: textField(2),
      properties: structField(3),
      timeout: doubleField(4),
    }),
    response: empty,
  },
};

export interface PulumiEngineFeatures {
  /** True if the engine accepts output values as results of functions. An output value may be unknown. */
  takesOutputs: boolean;
}

export type PluginMethods = typeof pluginMethods;
export type PluginRequest<Name extends keyof PluginMethods> = DecodedMessage<PluginMethods[Name]["request"]>;
export type PluginResponse<Name extends keyof PluginMethods> = DecodedMessage<PluginMethods[Name]["response"]>;

export const resourceInitFailedMessage = defineMessage({
  id: textField(1),
  properties: structField(2),
  reasons: repeatedText(3),
});

const any = defineMessage({ typeUrl: textField(1), value: bytesField(2) });
export const rpcStatusMessage = defineMessage({
  code: varintField(1),
  message: textField(2),
  details: repeatedField(3, any),
});
