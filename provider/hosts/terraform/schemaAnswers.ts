/** The methods that are asked at each start, and that every process answers in the same way. */
const schemaMethods = ["GetProviderSchema", "GetResourceIdentitySchemas"] as const;
type SchemaMethod = (typeof schemaMethods)[number];

/** In base64. A bundle has them as they are sent, since to make them takes a tenth of what such a process does. */
declare const SCHEMA_ANSWERS: Readonly<Record<SchemaMethod, string>> | undefined;

export function isSchemaMethod(name: string): name is SchemaMethod {
  return (schemaMethods as readonly string[]).includes(name);
}

/** @returns the encoded answer. */
export async function schemaAnswer(name: SchemaMethod): Promise<Uint8Array> {
  const texts = typeof SCHEMA_ANSWERS === "undefined" ? await schemaAnswers() : SCHEMA_ANSWERS;
  return Buffer.from(texts[name], "base64");
}

/** What a bundle is made with. */
export async function schemaAnswers(): Promise<Record<SchemaMethod, string>> {
  const [{ identityResponse, schemaResponse }, { methods }] = await Promise.all([
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
