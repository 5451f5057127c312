import { expect, it } from "vitest";
import { explainRegistryFault, RegistryRefusalError } from "../../../../../provider/storage/oci/error";

it.each<[unknown, string]>([
  [[{ code: "DENIED" }, { code: "UNKNOWN" }], "DENIED, HTTP 403"],
  [[{ code: "DENIED pa55" }], "HTTP 403"],
  [[{ code: "pa55 DENIED" }], "HTTP 403"],
  [[{ code: "A".repeat(41) }], "HTTP 403"],
  [[{ code: ["DENIED"] }], "HTTP 403"],
  [[{ message: "pa55" }], "HTTP 403"],
  [[null], "HTTP 403"],
  [[], "HTTP 403"],
  ["DENIED", "HTTP 403"],
])("of the errors %j of a registry, only the code of the first is reported", (errors, why) => {
  const refusal = new RegistryRefusalError({ status: 403, headers: {}, body: Buffer.from(JSON.stringify({ errors })) });
  expect(explainRegistryFault(refusal)).toMatchObject({
    why,
    remedy: expect.stringContaining("allow these credentials"),
  });
});
