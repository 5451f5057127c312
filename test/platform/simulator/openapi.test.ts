import { expect, test } from "vitest";
import { platformOperations } from "../../../simulator/requests/operation";
import { buildOpenApiDocument } from "../../../simulator/routes/openApiDocument";
import { fetchUrl, platformFor } from "./support";

// Checks only the list of operations. The tests with Schemathesis compare the operations with the platform's answers.
test("the OpenAPI document is served without the key, and names every operation of the API once", async () => {
  const platform = await platformFor();
  const answer = await fetchUrl(`${platform.baseUrl}/openapi.json`);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(answer.json).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument())));
  expect(answer.json.security).toEqual([{ adminApiKey: [] }]);
  const named = [...answer.text.matchAll(/"operationId":"(\w+)","tags"/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(platformOperations.filter((name) => name !== "download" && name !== "other").sort());
  const post = await fetchUrl(`${platform.baseUrl}/openapi.json`, { method: "POST" });
  expect([post.status, post.headers.allow]).toEqual([405, "GET"]);
  expect(platform.counts.other).toBe(2);
});
