/** The methods that Terraform calls at each start. Every process gives the same answers. */
const schemaMethods = ["GetProviderSchema", "GetResourceIdentitySchemas"] as const;
type SchemaMethod = (typeof schemaMethods)[number];

/**
 * The encoded answers in base64. A bundle contains them, since their encoding takes a tenth of the work of such a
 * process.
 */
declare const SCHEMA_ANSWERS: Readonly<Record<SchemaMethod, string>> | undefined;

export function isSchemaMethod(name: string): name is SchemaMethod {
  return (schemaMethods as readonly string[]).includes(name);
}

/** @returns the encoded answer. */
export async function schemaAnswer(name: SchemaMethod): Promise<Uint8Array> {
  const texts = typeof SCHEMA_ANSWERS === "undefined" ? await schemaAnswers() : SCHEMA_ANSWERS;
  return Buffer.from(texts[name], "base64");
}

/** Returns the answers for a bundle. */
export async function schemaAnswers(): Promise<Record<SchemaMethod, string>> {
  const [{ identityResponse, schemaResponse }, { terraformMethods: methods }] = await Promise.all([
    import("./schema.js"),
    import("./wire/messages.js"),
  ]);
  const { GetProviderSchema, GetResourceIdentitySchemas } = methods;
  const base64 = (message: Uint8Array) => Buffer.from(message).toString("base64");
  return {
    GetProviderSchema: base64(GetProviderSchema.response.encode(schemaResponse())),
    GetResourceIdentitySchemas: base64(GetResourceIdentitySchemas.response.encode(identityResponse())),
  };
}
