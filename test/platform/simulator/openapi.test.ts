import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Dialect, Platform } from "../../../simulator";
import { operations } from "../../../simulator/requests/operation";
import { openApiDocument } from "../../../simulator/routes/openApiDocument";
import { type Answer, callApi, fetchUrl, getJob, jobsPath, makeBundle, platformFor, startJob } from "./support";

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: { readonly "application/json": { readonly schema: object } };
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

const json = { "content-type": "application/json" };
const messagePath = "/v2/agent/docs/job/j1/message";

/** The operations of the document, with the path of each. */
function documented(): { path: string; method: string; operation: DocumentedOperation }[] {
  const paths = JSON.parse(JSON.stringify(openApiDocument().paths)) as Record<
    string,
    Record<string, DocumentedOperation>
  >;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Returns the claims of the document about an answer that are wrong; empty if all are right. */
function problemsOf(operationId: string, answer: Answer): string[] {
  const found = documented().find(({ operation }) => operation.operationId === operationId);
  const response = found?.operation.responses[answer.status];
  if (response === undefined) {
    return [`${operationId} does not declare ${answer.status}`];
  }
  const missing = Object.keys(response.headers ?? {}).filter((name) => !(name.toLowerCase() in answer.headers));
  // Reads the schema back from the document, so that the check is the one of a document's reader.
  const schema = z.fromJSONSchema(inlined(response.content["application/json"].schema));
  const issues = schema.safeParse(answer.json).error?.issues ?? [];
  return [...missing, ...issues.map(({ path, message }) => `${path.join(".")}: ${message}`)];
}

/** Replaces the references of a schema by the document's components. */
function inlined(schema: object): Parameters<typeof z.fromJSONSchema>[0] {
  const components: Record<string, unknown> = { ...openApiDocument().components?.schemas };
  const text = JSON.stringify(schema, (_, value) => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(value?.$ref ?? "")?.[1];
    return name === undefined ? value : components[name];
  });
  if (text.includes('"$ref"')) {
    throw new Error(`A reference that leads to no component: ${text}`);
  }
  return JSON.parse(text);
}

async function sendMessage(platform: Platform, body = '{"prompt":"x"}', key?: null): Promise<Answer> {
  return callApi(platform, messagePath, { method: "POST", headers: json, body, ...(key === null && { key }) });
}

/** The answers of every operation, each with its name. */
async function answersOf(platform: Platform): Promise<[string, Answer][]> {
  const answers: [string, Answer][] = [["startExport", await startJob(platform)]];
  for (const status of ["queued", "running", "completed", "failed"] as const) {
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status });
    answers.push(["getExport", await getJob(platform, jobId)], ["createBundle", await makeBundle(platform, jobId)]);
  }
  answers.push(["startExport", await startJob(platform, "x y")], ["startExport", await startJob(platform)]);
  answers.push(["startExport", await callApi(platform, jobsPath, { method: "POST", body: "x" })]);
  answers.push(["getExport", await getJob(platform, "nope")], ["createBundle", await makeBundle(platform, "nope")]);
  for (const status of ["active", "completed", "archived", "failed"] as const) {
    const { id } = platform.agents.add({ projectId: "docs", status, ref: status === "failed" ? "main" : null });
    answers.push(["getAgentJob", await callApi(platform, `/v2/agent/docs/job/${id}`)]);
  }
  answers.push(["getAgentJob", await callApi(platform, "/v2/agent/docs/job/nope")]);
  platform.agents.add({ projectId: "docs", id: "j1" });
  answers.push(["sendMessage", await sendMessage(platform)], ["sendMessage", await sendMessage(platform)]);
  answers.push(["sendMessage", await sendMessage(platform, "{}")]);
  answers.push(["sendMessage", await sendMessage(platform, undefined, null)]);
  answers.push(["getExport", await callApi(platform, `${jobsPath}/nope`, { key: null })]);
  return answers;
}

describe("the OpenAPI document", () => {
  test("is served without the key, and names every operation of the API once", async () => {
    const platform = await platformFor();
    const answer = await fetchUrl(`${platform.baseUrl}/openapi.json`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(answer.json).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(answer.json.openapi).toBe("3.1.0");
    const named = documented().map(({ operation }) => operation.operationId);
    expect(named.sort()).toEqual(operations.filter((name) => name !== "download" && name !== "other").sort());
    const post = await fetchUrl(`${platform.baseUrl}/openapi.json`, { method: "POST" });
    expect([post.status, post.headers.allow]).toEqual([405, "GET"]);
    expect(platform.counts.other).toBe(2);
  });

  test("asks for a bearer key, and declares 401 with WWW-Authenticate and 429 with Retry-After", () => {
    const { components, security } = openApiDocument();
    expect(components?.securitySchemes).toMatchObject({ adminApiKey: { type: "http", scheme: "bearer" } });
    expect(security).toEqual([{ adminApiKey: [] }]);
    for (const { operation } of documented()) {
      expect(operation.responses[401]?.headers).toHaveProperty("WWW-Authenticate");
      expect(operation.responses[429]?.headers).toHaveProperty("Retry-After");
    }
  });

  test("has patterns that a reader without flags can use", () => {
    const patterns = [...JSON.stringify(openApiDocument()).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
    expect(patterns.length).toBeGreaterThan(0);
    for (const [, pattern = ""] of patterns) {
      expect("docs.Example.com").toMatch(new RegExp(JSON.parse(pattern)));
      expect("docs.example.com/").not.toMatch(new RegExp(JSON.parse(pattern)));
    }
  });

  test.each<[string, Partial<Dialect>]>([
    ["its own dialect", {}],
    ["another dialect", { startStatus: 202, progress: "object", expiresAt: "epochSeconds", times: true }],
    ["a third dialect", { startStatus: 200, progress: "text", pageCount: false, extraFields: false }],
  ])("declares every answer of a platform in %s: status, headers and body", async (_, dialect) => {
    const platform = await platformFor({ queueTime: 1e9, jobTime: 1e9, startsPerHour: 1, messagesPerHour: 1, dialect });
    const answers = await answersOf(platform);
    for (const [operation, answer] of answers) {
      expect([operation, answer.status, problemsOf(operation, answer)]).toEqual([operation, answer.status, []]);
    }
    const statuses = new Set(answers.map(([, answer]) => answer.status));
    for (const status of [400, 401, 404, 409, 415, 429]) {
      expect(statuses).toContain(status);
    }
  });

  test("would not accept another body", async () => {
    const platform = await platformFor({ agentJobs: [{ projectId: "docs", id: "j1" }] });
    const answer = await callApi(platform, "/v2/agent/docs/job/j1");
    expect(problemsOf("getAgentJob", { ...answer, json: { ...answer.json, prLink: 7 } })).not.toEqual([]);
    expect(problemsOf("getAgentJob", { ...answer, status: 418 })).toEqual(["getAgentJob does not declare 418"]);
  });
});
