import {
  booleanField,
  bytesField,
  type DecodedMessage,
  defineMessage,
  mapField,
  messageField,
  repeatedField,
  textField,
  varintField,
} from "../../../rpc/protobuf";

/*
 * The messages of Terraform's plugin protocol 6 that this provider receives and sends. A message here has only the
 * fields that this provider uses, with their field numbers. "docs/plugin-protocol" in Terraform's source contains the
 * complete messages. An older Terraform skips a field that it does not know.
 */

export const emptyMessage = defineMessage({});

const dynamicValue = defineMessage({ msgpack: bytesField(1), json: bytesField(2) });
export type DynamicValue = DecodedMessage<typeof dynamicValue>;

const attributePath = defineMessage({ steps: repeatedField(1, defineMessage({ attributeName: textField(1) })) });
export type AttributePath = DecodedMessage<typeof attributePath>;

export const severity = { error: 1, warning: 2 } as const;

const diagnostic = defineMessage({
  severity: varintField(1),
  summary: textField(2),
  detail: textField(3),
  attribute: messageField(4, attributePath),
});
export type Diagnostic = DecodedMessage<typeof diagnostic>;

const markdown = 1;
export const markdownDescriptionKind = markdown;

const attribute = defineMessage({
  name: textField(1),
  type: bytesField(2),
  description: textField(3),
  required: booleanField(4),
  optional: booleanField(5),
  computed: booleanField(6),
  sensitive: booleanField(7),
  descriptionKind: varintField(8),
});
const block = defineMessage({
  attributes: repeatedField(2, attribute),
  description: textField(4),
  descriptionKind: varintField(5),
});
const schema = defineMessage({ block: messageField(2, block) });
export type TerraformSchema = DecodedMessage<typeof schema>;

const parameter = defineMessage({
  name: textField(1),
  type: bytesField(2),
  allowUnknownValues: booleanField(4),
  description: textField(5),
  descriptionKind: varintField(6),
});
const functionSchema = defineMessage({
  parameters: repeatedField(1, parameter),
  return: messageField(3, defineMessage({ type: bytesField(1) })),
  summary: textField(4),
  description: textField(5),
  descriptionKind: varintField(6),
});
export type FunctionSchema = DecodedMessage<typeof functionSchema>;

const value = (number: number) => messageField(number, dynamicValue);
const reasons = (number: number) => repeatedField(number, diagnostic);

const diagnostics = defineMessage({ diagnostics: reasons(1) });
const typeAndConfig = defineMessage({ typeName: textField(1), config: value(2) });
const actionAndConfig = defineMessage({ actionType: textField(1), config: value(2) });
const imported = defineMessage({ typeName: textField(1), state: value(2), private: bytesField(3) });
const rawState = defineMessage({ json: bytesField(1) });
const capabilities = defineMessage({ planDestroy: booleanField(1), getProviderSchemaOptional: booleanField(2) });

/**
 * The abilities of this Terraform. Terraform plans a change twice: for the user, and again during the apply. If
 * `storePlannedPrivate` is true (Terraform 1.16), the second plan gets the private data of the first plan. Earlier
 * versions set `deferralAllowed` in the second plan only, so this flag distinguishes the two plans.
 */
const client = defineMessage({ deferralAllowed: booleanField(1), storePlannedPrivate: booleanField(3) });

export const terraformMethods = {
  GetProviderSchema: {
    request: emptyMessage,
    response: defineMessage({
      provider: messageField(1, schema),
      resourceSchemas: mapField(2, schema),
      dataSourceSchemas: mapField(3, schema),
      diagnostics: reasons(4),
      serverCapabilities: messageField(6, capabilities),
      functions: mapField(7, functionSchema),
      ephemeralResourceSchemas: mapField(8, schema),
      actionSchemas: mapField(11, defineMessage({ schema: messageField(1, schema) })),
    }),
  },
  GetFunctions: { request: emptyMessage, response: defineMessage({ functions: mapField(1, functionSchema) }) },
  ValidateProviderConfig: {
    request: defineMessage({ config: value(1) }),
    response: defineMessage({ diagnostics: reasons(2) }),
  },
  ValidateResourceConfig: { request: typeAndConfig, response: diagnostics },
  ValidateDataResourceConfig: { request: typeAndConfig, response: diagnostics },
  ValidateEphemeralResourceConfig: { request: typeAndConfig, response: diagnostics },
  ConfigureProvider: {
    request: defineMessage({
      terraformVersion: textField(1),
      config: value(2),
      clientCapabilities: messageField(3, client),
    }),
    response: diagnostics,
  },
  UpgradeResourceState: {
    request: defineMessage({ typeName: textField(1), version: varintField(2), rawState: messageField(3, rawState) }),
    response: defineMessage({ upgradedState: value(1), diagnostics: reasons(2) }),
  },
  ReadResource: {
    request: defineMessage({ typeName: textField(1), currentState: value(2), private: bytesField(3) }),
    response: defineMessage({ newState: value(1), diagnostics: reasons(2), private: bytesField(3) }),
  },
  PlanResourceChange: {
    request: defineMessage({
      typeName: textField(1),
      priorState: value(2),
      proposedNewState: value(3),
      config: value(4),
      priorPrivate: bytesField(5),
      plannedPrivate: bytesField(9),
    }),
    response: defineMessage({
      plannedState: value(1),
      requiresReplace: repeatedField(2, attributePath),
      plannedPrivate: bytesField(3),
      diagnostics: reasons(4),
    }),
  },
  ApplyResourceChange: {
    request: defineMessage({
      typeName: textField(1),
      priorState: value(2),
      plannedState: value(3),
      config: value(4),
      plannedPrivate: bytesField(5),
    }),
    response: defineMessage({ newState: value(1), private: bytesField(2), diagnostics: reasons(3) }),
  },
  ImportResourceState: {
    request: defineMessage({ typeName: textField(1), id: textField(2) }),
    response: defineMessage({ importedResources: repeatedField(1, imported), diagnostics: reasons(2) }),
  },
  ReadDataSource: {
    request: typeAndConfig,
    response: defineMessage({ state: value(1), diagnostics: reasons(2) }),
  },
  OpenEphemeralResource: {
    request: typeAndConfig,
    response: defineMessage({ diagnostics: reasons(1), result: value(3) }),
  },
  CloseEphemeralResource: { request: defineMessage({ typeName: textField(1) }), response: diagnostics },
  CallFunction: {
    request: defineMessage({ name: textField(1), arguments: repeatedField(2, dynamicValue) }),
    response: defineMessage({ result: value(1), error: messageField(2, defineMessage({ text: textField(1) })) }),
  },
  ValidateActionConfig: { request: typeAndConfig, response: diagnostics },
  PlanAction: { request: actionAndConfig, response: diagnostics },
  InvokeAction: {
    request: actionAndConfig,
    /** The answer is a stream of these messages. The last message has `completed`. */
    response: defineMessage({
      progress: messageField(1, defineMessage({ message: textField(1) })),
      completed: messageField(2, diagnostics),
    }),
  },
  StopProvider: { request: emptyMessage, response: defineMessage({ error: textField(1) }) },
};

export type TerraformMethods = typeof terraformMethods;
export type TerraformRequest<Name extends keyof TerraformMethods> = DecodedMessage<TerraformMethods[Name]["request"]>;
export type TerraformResponse<Name extends keyof TerraformMethods> = DecodedMessage<TerraformMethods[Name]["response"]>;
