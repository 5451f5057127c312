import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { platformRoutes, routePathOf } from "../../../../provider/platform/routes";
import { NotFoundError } from "../../../../provider/support/errors";
import { identifierProblem } from "../../../../provider/support/identifier";
import { clientFor, clientOperations, goodBody, never, rejection } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

describe("an id in a path", () => {
  it.each([
    ["a/b", "a%2Fb"],
    ["a b", "a%20b"],
    ["ünï-日本", "%C3%BCn%C3%AF-%E6%97%A5%E6%9C%AC"],
    ["a?b=c", "a%3Fb%3Dc"],
    ["a#b", "a%23b"],
    ["../../v2", "..%2F..%2Fv2"],
    ["%2e%2e", "%252e%252e"],
    ["a%0D%0AX: y", "a%250D%250AX%3A%20y"],
    ["...", "..."],
    ["{jobId}", "%7BjobId%7D"],
  ])("%j goes out as %s", async (id, encoded) => {
    const server = await serve(answer(200, { ...goodBody, jobId: undefined, id: undefined }));
    const client = clientFor(server.url);
    await client.getExport(id, { signal: never });
    await client.createBundle(id, { signal: never });
    await client.sendMessage({ projectId: id, id }, "Go on.", { signal: never });
    await client.getAgentJob({ projectId: id, id }, { signal: never });
    expect(server.requests.map(({ url }) => url)).toEqual([
      `/v1/static-export/jobs/${encoded}`,
      `/v1/static-export/jobs/${encoded}/bundle`,
      `/v2/agent/${encoded}/job/${encoded}/message`,
      `/v2/agent/${encoded}/job/${encoded}`,
    ]);
  });

  it("fills each path that contains the project", async () => {
    const routes = {
      startExport: "/of/{projectId}/jobs",
      getExport: "/of/{projectId}/jobs/{jobId}",
      generateBundle: "/jobs/{jobId}/of/{projectId}",
      getAgentJob: "/agents/{id}/of/{projectId}/{id}/",
    };
    const server = await serve(answer(201, goodBody), answer(200, goodBody), answer(200, goodBody));
    const client = clientFor(server.url, { routes, projectId: "a/b" });
    const { jobId } = await client.startExport("docs.example.com", { signal: never });
    await client.getExport(jobId, { signal: never });
    await client.createBundle(jobId, { signal: never });
    await client.getAgentJob({ projectId: "c/d", id: "agent-1" }, { signal: never });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /of/a%2Fb/jobs",
      "GET /of/a%2Fb/jobs/job-1",
      "POST /jobs/job-1/of/a%2Fb",
      "GET /agents/agent-1/of/c%2Fd/agent-1/",
    ]);
  });

  it("stands in a path whose template has a method: the method replaces that of the text", async () => {
    const record = "/jobs/{jobId}";
    const routes = { startExport: "POST /jobs", getExport: `POST ${record}`, generateBundle: `GET ${record}` };
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url, { routes });
    await client.startExport("docs.example.com", { signal: never });
    await client.getExport("job-1", { signal: never });
    await expect(client.createBundle("job-1", { signal: never })).resolves.toMatchObject({
      bundleUrl: goodBody.bundleUrl,
    });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /jobs",
      "POST /jobs/job-1",
      "GET /jobs/job-1",
    ]);
  });

  const long = "x".repeat(257);

  it.each(["", " ", "\t\n", ".", "..", "\ud800", "a\r\nX: y", long])(
    "%j is refused, and nothing is sent",
    async (id) => {
      const server = await serve(answer(200, { ...goodBody, jobId: undefined, id: undefined }));
      const client = clientFor(server.url);
      for (const operation of ["getExport", "createBundle"] as const) {
        expect(await rejection(client[operation](id, { signal: never }))).toBeInstanceOf(NotFoundError);
      }
      for (const key of [
        { projectId: "docs", id },
        { projectId: id, id: "agent-1" },
      ]) {
        expect(await rejection(client.sendMessage(key, "Go on.", { signal: never }))).toBeInstanceOf(NotFoundError);
        expect(await rejection(client.getAgentJob(key, { signal: never }))).toBeInstanceOf(NotFoundError);
      }
      expect(server.requests).toEqual([]);
    },
  );

  it.each(["", " ", ".", "..", "\ud800", "a\n::x", long])(
    "%j is refused when the platform returns it as jobId",
    async (jobId) => {
      const server = await serve(answer(200, JSON.stringify({ jobId })));
      const error = await rejection(clientFor(server.url).startExport("docs.example.com", { signal: never }));
      expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: true });
      expect(error.message).toContain("jobId");
    },
  );

  it("never leaves its place in the path, and can be read back, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (id) => {
        fc.pre(identifierProblem(id) === undefined);
        const path = routePathOf(platformRoutes.generateBundle, { jobId: id });
        const segments = new URL(path, "https://h.test").pathname.split("/");
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[4] ?? "")).toBe(id);
      }),
      { numRuns: 150, seed: 14 },
    );
  });
});

describe("the key goes to the base URL's origin only", () => {
  it.each([301, 302, 303, 307, 308])("a redirect with HTTP %i to another origin is not followed", async (status) => {
    const other = await serve(answer(200, goodBody));
    const server = await serve(answer(status, "", { location: `${other.url}/v1/steal?token=s3cr3t` }));
    const client = clientFor(server.url);
    for (const operation of Object.values(clientOperations)) {
      const error = await rejection(operation(client));
      expect(error).toMatchObject({ code: "DOCS_REFUSED" });
      expect(error.message).toContain(`a redirect to ${other.url}`);
      expect(error.message).not.toContain("s3cr3t");
    }
    expect(server.requests).toHaveLength(5);
    expect(other.connections).toBe(0);
  });

  it.each([302, 307])(
    "a redirect to a page of the platform is not followed either (HTTP %i): the error names the page",
    async (status) => {
      const server = await serve(answer(status, "", { location: "/login?x=s3cr3t" }));
      const { message } = await rejection(clientFor(server.url).getExport("a", { signal: never }));
      expect(message).toContain(`a redirect to ${server.url}/login.`);
      expect(message).toMatch(/if only the path differs, set that path in routes\.$/);
      expect(message).not.toContain("s3cr3t");
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    ["/v2/exports/a", '{"getExport":"/v2/exports/{jobId}"}'],
    ["/admin/v2/exports/a/", '{"getExport":"/admin/v2/exports/{jobId}/"}'],
  ])("nor is one to another path of the platform: the error has the line of routes to set, %s", async (path, line) => {
    const server = await serve(answer(308, "", { location: `${path}?x=s3cr3t` }));
    const { message } = await rejection(clientFor(server.url).getExport("a", { signal: never }));
    expect(message.split("\n").at(-1)).toBe(`    pulumi config set docs-platform:routes '${line}'`);
    expect(message).not.toContain("s3cr3t");
  });

  it("the line in the error keeps other templates, and does not repeat the path of the base URL", async () => {
    const server = await serve(answer(301, "", { location: "/api/v2/start" }));
    const routes = { getExport: "GET /x/{jobId}", startExport: "POST /v1/start" };
    const { message } = await rejection(
      clientFor(`${server.url}/api`, { routes }).startExport("docs.example.com", { signal: never }),
    );
    expect(
      message
        .split("\n")
        .at(-1)
        ?.replace(/.*routes /, ""),
    ).toBe(`'{"getExport":"GET /x/{jobId}","startExport":"POST /v2/start"}'`);
  });
});
