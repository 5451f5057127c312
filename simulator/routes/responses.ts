import type { z } from "@hono/zod-openapi";
import { ErrorBody } from "./schemas";

export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

export const unauthorized = {
  ...jsonResponse("Missing or invalid key.", ErrorBody),
  headers: { "WWW-Authenticate": { required: true, schema: { type: "string" as const } } },
};

export const unsupportedMediaType = jsonResponse("The content type is not application/json.", ErrorBody);

export function describeTooManyRequests(description = "Too many requests.") {
  const seconds = { type: "integer" as const, minimum: 1 };
  return {
    ...jsonResponse(description, ErrorBody),
    headers: {
      "Retry-After": { required: true, description: "Seconds until the next one is accepted.", schema: seconds },
    },
  };
}
