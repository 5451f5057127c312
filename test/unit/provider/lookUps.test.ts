import { beforeEach, describe, expect, it, vi } from "vitest";
import { lookUpAgentJob, lookUpExport } from "../../../provider/lookUps";
import { goodBody, rejection, testKey } from "../../support/clientUnderTest";
import { answer, serve } from "../../support/loopback";

const stack =
  (values: Record<string, string> = {}) =>
  (key: string) =>
    values[key];

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("DOCS_PLATFORM_API_KEY", testKey);
  vi.stubEnv("DOCS_PLATFORM_MAX_RETRIES", "0");
  vi.stubEnv("DOCS_PLATFORM_BASE_URL", "http://127.0.0.1:9");
});

describe("a look-up", () => {
  it("is one request, by the settings of the environment and of the stack", async () => {
    const server = await serve(answer(200, { ...goodBody, jobId: undefined, id: undefined }));
    vi.stubEnv("DOCS_PLATFORM_BASE_URL", server.url);
    const config = stack({
      projectId: "docs",
      routes: '{"getAgentJob":"/jobs/{id}/{projectId}"}',
    });
    await expect(lookUpExport({ jobId: "a/b" }, config)).resolves.toMatchObject({ status: "running" });
    await expect(lookUpAgentJob({ jobId: "a/b" }, config)).resolves.toMatchObject({ status: "running" });
    await expect(lookUpAgentJob({ jobId: "a/b", projectId: "other" }, config)).resolves.toMatchObject({
      status: "running",
    });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/static-export/jobs/a%2Fb",
      "GET /jobs/a%2Fb/docs",
      "GET /jobs/a%2Fb/other",
    ]);
  });

  it.each([
    ["a blank job", () => lookUpExport({ jobId: " " }, stack()), /DOCS_CONFIGURATION: jobId must not be blank/],
    [
      "a blank agent job",
      () => lookUpAgentJob({ jobId: "", projectId: "docs" }, stack()),
      /DOCS_CONFIGURATION: jobId must not be blank/,
    ],
    [
      "a project that is a step in a path",
      () => lookUpAgentJob({ jobId: "1", projectId: ".." }, stack()),
      /projectId must not be "\.\."/,
    ],
    [
      "no project",
      () => lookUpAgentJob({ jobId: "1" }, stack()),
      /projectId is missing: give it in the call, or set DOCS/,
    ],
    ["no platform", () => lookUpExport({ jobId: "1" }, stack()), /DOCS_CONNECTION/],
  ])("of %s fails with a code and without a stack", async (_, ask, said) => {
    const error = await rejection(ask());
    expect(error.message).toMatch(said);
    expect(error.stack).toBe(error.message);
  });

  it.each(["DOCS_PLATFORM_API_KEY", "DOCS_PLATFORM_BASE_URL"])(
    "without %s fails with a code and without a stack",
    async (name) => {
      vi.stubEnv(name, "");
      for (const ask of [() => lookUpExport({ jobId: "1" }, stack()), () => lookUpAgentJob({ jobId: "1" }, stack())]) {
        const error = await rejection(ask());
        expect(error.message).toMatch(new RegExp(`^DOCS_CONFIGURATION: .*${name}`));
        expect(error.stack).toBe(error.message);
      }
    },
  );

  it("that is refused shows no key", async () => {
    const server = await serve(answer(400, { error: `no ${testKey}` }));
    vi.stubEnv("DOCS_PLATFORM_BASE_URL", server.url);
    const error = await rejection(lookUpExport({ jobId: "1" }, stack()));
    expect(error.message).toContain("DOCS_REFUSED");
    expect(error.message).not.toContain(testKey);
  });
});
