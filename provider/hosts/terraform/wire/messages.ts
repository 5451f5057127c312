import {
  booleanField,
  bytes,
  type MessageContent,
  mapField,
  message,
  messageField,
  repeatedField,
  text,
  wholeNumber,
} from "../../../rpc/protobuf";

/*
 * The messages of Terraform's plugin protocol 6 that this provider receives and sends. A message here has only the
 * fields that this provider uses, with their field numbers. "docs/plugin-protocol" in Terraform's source contains the
 * complete messages. An older Terraform skips a field that it does not know.
 */

export const emptyMessage = message({});

const dynamicValue = message({ msgpack: bytes(1), json: bytes(2) });
export type DynamicValue = MessageContent<typeof dynamicValue>;

const attributePath = message({ steps: repeatedField(1, message({ attributeName: text(1) })) });
export type AttributePath = MessageContent<typeof attributePath>;

export const severity = { error: 1, warning: 2 } as const;

const diagnostic = message({
  severity: wholeNumber(1),
  summary: text(2),
  detail: text(3),
  attribute: messageField(4, attributePath),
});
export type Diagnostic = MessageContent<typeof diagnostic>;

const markdown = 1;
export const descriptionKind = markdown;

const attribute = message({
  name: text(1),
  type: bytes(2),
  description: text(3),
  required: booleanField(4),
  optional: booleanField(5),
  computed: booleanField(6),
  sensitive: booleanField(7),
  descriptionKind: wholeNumber(8),
});
const block = message({
  version: wholeNumber(1),
  attributes: repeatedField(2, attribute),
  description: text(4),
  descriptionKind: wholeNumber(5),
});
const schema = message({ version: wholeNumber(1), block: messageField(2, block) });
export type TerraformSchema = MessageContent<typeof schema>;

const parameter = message({
  name: text(1),
  type: bytes(2),
  allowUnknownValues: booleanField(4),
  description: text(5),
  descriptionKind: wholeNumber(6),
});
const functionSchema = message({
  parameters: repeatedField(1, parameter),
  return: messageField(3, message({ type: bytes(1) })),
  summary: text(4),
  description: text(5),
  descriptionKind: wholeNumber(6),
});
export type FunctionSchema = MessageContent<typeof functionSchema>;

const diagnostics = message({ diagnostics: repeatedField(1, diagnostic) });
const typeAndConfig = message({ typeName: text(1), config: messageField(2, dynamicValue) });
const actionAndConfig = message({ actionType: text(1), config: messageField(2, dynamicValue) });
const rawState = message({ json: bytes(1) });
const capabilities = message({ planDestroy: booleanField(1), getProviderSchemaOptional: booleanField(2) });

/**
 * The abilities of Terraform. During an apply, Terraform makes a second plan. With `storePlannedPrivate` (Terraform
 * 1.16), the second plan also has the private data of the first plan. An earlier Terraform sets `deferralAllowed` when
 * it applies a plan, and never when it only plans.
 */
const client = message({ deferralAllowed: booleanField(1), storePlannedPrivate: booleanField(3) });

export const terraformMethods = {
  GetProviderSchema: {
    request: emptyMessage,
    response: message({
      provider: messageField(1, schema),
      resourceSchemas: mapField(2, schema),
      dataSourceSchemas: mapField(3, schema),
      diagnostics: repeatedField(4, diagnostic),
      serverCapabilities: messageField(6, capabilities),
      functions: mapField(7, functionSchema),
      ephemeralResourceSchemas: mapField(8, schema),
      actionSchemas: mapField(11, message({ schema: messageField(1, schema) })),
    }),
  },
  GetFunctions: { request: emptyMessage, response: message({ functions: mapField(1, functionSchema) }) },
  ValidateProviderConfig: {
    request: message({ config: messageField(1, dynamicValue) }),
    response: message({ diagnostics: repeatedField(2, diagnostic) }),
  },
  ValidateResourceConfig: { request: typeAndConfig, response: diagnostics },
  ValidateDataResourceConfig: { request: typeAndConfig, response: diagnostics },
  ValidateEphemeralResourceConfig: { request: typeAndConfig, response: diagnostics },
  ConfigureProvider: {
    request: message({
      terraformVersion: text(1),
      config: messageField(2, dynamicValue),
      clientCapabilities: messageField(3, client),
    }),
    response: diagnostics,
  },
  UpgradeResourceState: {
    request: message({ typeName: text(1), version: wholeNumber(2), rawState: messageField(3, rawState) }),
    response: message({ upgradedState: messageField(1, dynamicValue), diagnostics: repeatedField(2, diagnostic) }),
  },
  ReadResource: {
    request: message({ typeName: text(1), currentState: messageField(2, dynamicValue), private: bytes(3) }),
    response: message({
      newState: messageField(1, dynamicValue),
      diagnostics: repeatedField(2, diagnostic),
      private: bytes(3),
    }),
  },
  PlanResourceChange: {
    request: message({
      typeName: text(1),
      priorState: messageField(2, dynamicValue),
      proposedNewState: messageField(3, dynamicValue),
      config: messageField(4, dynamicValue),
      priorPrivate: bytes(5),
      plannedPrivate: bytes(9),
    }),
    response: message({
      plannedState: messageField(1, dynamicValue),
      requiresReplace: repeatedField(2, attributePath),
      plannedPrivate: bytes(3),
      diagnostics: repeatedField(4, diagnostic),
    }),
  },
  ApplyResourceChange: {
    request: message({
      typeName: text(1),
      priorState: messageField(2, dynamicValue),
      plannedState: messageField(3, dynamicValue),
      config: messageField(4, dynamicValue),
      plannedPrivate: bytes(5),
    }),
    response: message({
      newState: messageField(1, dynamicValue),
      private: bytes(2),
      diagnostics: repeatedField(3, diagnostic),
    }),
  },
  ImportResourceState: {
    request: message({ typeName: text(1), id: text(2) }),
    response: message({
      importedResources: repeatedField(
        1,
        message({ typeName: text(1), state: messageField(2, dynamicValue), private: bytes(3) }),
      ),
      diagnostics: repeatedField(2, diagnostic),
    }),
  },
  ReadDataSource: {
    request: typeAndConfig,
    response: message({ state: messageField(1, dynamicValue), diagnostics: repeatedField(2, diagnostic) }),
  },
  OpenEphemeralResource: {
    request: typeAndConfig,
    response: message({ diagnostics: repeatedField(1, diagnostic), result: messageField(3, dynamicValue) }),
  },
  CloseEphemeralResource: { request: message({ typeName: text(1) }), response: diagnostics },
  CallFunction: {
    request: message({ name: text(1), arguments: repeatedField(2, dynamicValue) }),
    response: message({ result: messageField(1, dynamicValue), error: messageField(2, message({ text: text(1) })) }),
  },
  ValidateActionConfig: { request: typeAndConfig, response: diagnostics },
  PlanAction: { request: actionAndConfig, response: diagnostics },
  InvokeAction: {
    request: actionAndConfig,
    /** The answer is a stream of these messages. The last message has `completed`. */
    response: message({
      progress: messageField(1, message({ message: text(1) })),
      completed: messageField(2, diagnostics),
    }),
  },
  StopProvider: { request: emptyMessage, response: message({ error: text(1) }) },
};

export type TerraformMethods = typeof terraformMethods;
export type TerraformRequest<Name extends keyof TerraformMethods> = MessageContent<TerraformMethods[Name]["request"]>;
export type TerraformResponse<Name extends keyof TerraformMethods> = MessageContent<TerraformMethods[Name]["response"]>;
