import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  agentKey,
  type ClientOperation,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, type SeenRequest, serve } from "../../../support/loopback";

const names = Object.keys(clientOperations) as ClientOperation[];

describe("an error in the place of the fields, though the status is 200,", () => {
  it.each(names)("is told with the platform's words, and is no doubt: %s", async (name) => {
    const server = await serve(answer(200, { error: { message: "the quota\nis used up" }, jobId: null }));
    const error = await rejection(clientOperations[name](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_REFUSED", doubtful: false });
    expect(error.message).toContain(
      "was answered with a success status, but with an error in the body: the quota is used up",
    );
    expect(server.requests).toHaveLength(1);
  });

  it("leaves a start that was refused, so that the next run may start again", async () => {
    const server = await serve(answer(200, { error: "no" }));
    const told: string[] = [];
    const once = { idempotencyKey: "one", before: async () => {}, refused: async () => void told.push("refused") };
    await rejection(clientFor(server.url).startExport("a.test", { signal: never, once }));
    expect(told).toEqual(["refused"]);
  });

  it("does not hide that a start without a job id may have begun", async () => {
    const server = await serve(answer(200, { message: "Accepted" }));
    const error = await rejection(clientOperations.startExport(clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: true });
  });
});

describe("an object around the fields", () => {
  it.each(["data", "result"])("is opened: %s", async (name) => {
    const server = await serve(answer(200, { status: "success", [name]: goodBody }));
    await expect(clientOperations.getExport(clientFor(server.url))).resolves.toMatchObject({ status: "running" });
  });

  it("does not hide an error, nor what the object lacks", async () => {
    const refused = await serve(answer(200, { data: null, error: { status: "failed", message: "no quota" } }));
    expect(await rejection(clientOperations.getExport(clientFor(refused.url)))).toMatchObject({ code: "DOCS_REFUSED" });
    const lacking = await serve(answer(200, { data: { id: "job-1" } }));
    expect((await rejection(clientOperations.startExport(clientFor(lacking.url)))).message).toContain(
      "jobId: is missing",
    );
  });

  it("is no reason to leave fields that lie beside it", async () => {
    const server = await serve(answer(200, { ...goodBody, data: { pages: 3 }, result: "so far so good" }));
    await expect(clientOperations.getExport(clientFor(server.url))).resolves.toMatchObject({ status: "running" });
  });
});

describe("a job id that is a number", () => {
  it.each(["1", "9007199254740993", "-1234567890123456789", "123456789012345678901234567890"])(
    "is kept to its last digit: %s",
    async (id) => {
      const server = await serve(answer(201, `{"jobId": ${id}}`));
      await expect(clientOperations.startExport(clientFor(server.url))).resolves.toMatchObject({ jobId: id });
    },
  );
});

describe("a start that names its job in the header Location alone", () => {
  const started = async (location: string, body: unknown = "") => {
    const server = await serve(answer(201, body, { location }));
    return clientOperations.startExport(clientFor(server.url)).catch((error: Error) => error);
  };

  it.each([
    "/v1/static-export/jobs/job%207",
    "https://api.test/gateway/v1/static-export/jobs/job%207/?view=full#top",
    "v1/static-export/jobs/job%207",
  ])("has that job: %s", async (location) => {
    expect(await started(location)).toMatchObject({ jobId: "job 7" });
  });

  it.each(["/v1/static-export/jobs", "/v1/static-export/jobs/..", "/v1/static-export/queue/7", "/jobs/%ff", ""])(
    "is in doubt where it leads to no job: %j",
    async (location) => {
      expect(await started(location)).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: true });
    },
  );

  it("is believed less than the body", async () => {
    expect(await started("/v1/static-export/jobs/other", goodBody)).toMatchObject({ jobId: "job-1" });
    expect(await started("/v1/static-export/jobs/other", { error: "no" })).toMatchObject({ code: "DOCS_REFUSED" });
  });
});

describe("a redirect to another path of the platform", () => {
  const moved = (status: number, location: string) =>
    serve((response, { request }) => {
      const isThere = request.url.startsWith("/new/");
      response.writeHead(isThere ? 200 : status, isThere ? {} : { location });
      response.end(JSON.stringify(goodBody));
    });
  const ask = (url: string, method: string) =>
    clientOperations[method === "GET" ? "getExport" : "startExport"](clientFor(url)).catch((error: Error) => error);

  it.each([
    [307, "POST"],
    [308, "POST"],
    [301, "GET"],
    [307, "GET"],
    [308, "GET"],
  ])("%i of a %s is followed with the same method, key and body", async (status, method) => {
    const server = await moved(status, "/new/place?view=full");
    await expect(ask(server.url, method)).resolves.not.toBeInstanceOf(Error);
    const [first, second] = server.requests as [SeenRequest, SeenRequest];
    expect(second.url).toBe("/new/place?view=full");
    expect([second.method, second.body, second.headers]).toEqual([first.method, first.body, first.headers]);
  });

  it.each([
    [301, "POST", "/new/place"],
    [302, "POST", "/new/place"],
    [302, "GET", "/new/sign-in"],
    [303, "GET", "/new/place"],
    [307, "POST", ""],
    [307, "POST", "http://"],
  ])("%i of a %s to %j is not", async (status, method, location) => {
    const server = await moved(status, location);
    expect(await ask(server.url, method)).toMatchObject({ code: "DOCS_REFUSED" });
    expect(server.requests).toHaveLength(1);
  });

  it("is followed three times, and what is sent once is recorded anew each time", async () => {
    const server = await serve(answer(307, "", { location: "/again" }));
    const told: string[] = [];
    const note = (what: string) => async () => void told.push(what);
    const once = { idempotencyKey: "one", before: note("before"), refused: note("refused") };
    const error = await rejection(clientFor(server.url).startExport("a.test", { signal: never, once }));
    expect(error).toMatchObject({ code: "DOCS_REFUSED", doubtful: false });
    expect(server.requests).toHaveLength(4);
    expect(told).toEqual(Array.from({ length: 4 }, () => ["before", "refused"]).flat());
  });
});

describe("a link", () => {
  const minted = async (body: object) => {
    const server = await serve(answer(200, { ...goodBody, ...body }));
    const told = await clientFor(server.url).createBundle("job-1", { signal: never });
    return { ...told, bundleUrl: told.bundleUrl.replace(server.url, "<base>") };
  };

  it("without a host is one of the platform's own", async () => {
    expect(await minted({ bundleUrl: "/files/a.zip?sig=1" })).toMatchObject({ bundleUrl: "<base>/files/a.zip?sig=1" });
    expect(await minted({ bundleUrl: "//127.0.0.1:9/a" })).toMatchObject({ bundleUrl: "http://127.0.0.1:9/a" });
    expect(await minted({ bundleUrl: "  https://b.test/a?x=1\n" })).toMatchObject({
      bundleUrl: "https://b.test/a?x=1",
    });
  });

  it.each([null, undefined])("whose end is told by its signature alone ends then: %j", async (expiresAt) => {
    const bundleUrl = "https://b.test/x?X-Amz-Date=20260131T100000Z&X-Amz-Expires=60";
    expect(await minted({ bundleUrl, expiresAt })).toMatchObject({ expiresAt: Date.parse("2026-01-31T10:01:00Z") });
  });

  it("without a whole address is refused", async () => {
    for (const bundleUrl of ["files/a.zip", "ftp://b.test/a", "javascript:/x", "https:///", "//"]) {
      await expect(minted({ bundleUrl })).rejects.toMatchObject({ code: "DOCS_RESPONSE_SHAPE" });
    }
  });
});

describe("an answer that is about another thing than the one that was asked for", () => {
  it.each(["getExport", "createBundle", "sendMessage", "getAgentJob"] as const)("is refused: %s", async (name) => {
    const server = await serve(answer(200, { ...goodBody, jobId: "job-2", id: "agent-2" }));
    const error = await rejection(clientOperations[name](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: name === "sendMessage" });
    expect(error.message).toMatch(/it is about (job|agent)-2, but the request was about (job|agent)-1/);
  });

  it.each([
    { jobId: "JOB-1", id: "AGENT-1" },
    { jobId: undefined, id: undefined },
    { jobId: {}, id: [] },
  ])("is not one that writes the id in another way, or not at all: %j", async (ids) => {
    const server = await serve(answer(200, { ...goodBody, ...ids }));
    const client = clientFor(server.url);
    await expect(clientOperations.getExport(client)).resolves.toMatchObject({ status: "running" });
    await expect(client.getAgentJob(agentKey, { signal: never })).resolves.toMatchObject({ status: "running" });
  });
});

describe("the domain that an answer names", () => {
  const told = async (domain: unknown) =>
    (await clientOperations.getExport(clientFor((await serve(answer(200, { ...goodBody, domain }))).url))).domain;

  it.each([
    ["b.test", "b.test"],
    [" B.Test. ", "B.Test."],
    ["https://b.test:8443/guide?x=1", "b.test"],
    ["b.test:443", "b.test"],
    ["//b.test", "b.test"],
    ["münchen.test", "münchen.test"],
  ])("may be written as %j", async (written, host) => {
    expect(await told(written)).toBe(host);
  });

  it.each([
    "dom_8f2c",
    "production",
    "Docs (b.test)",
    "key@b.test",
    "",
    ".",
    "a..b",
    17,
    null,
    {},
    "x.".repeat(40_000),
  ])("is none where it is no host name: %j", async (written) => {
    expect(await told(written)).toBeUndefined();
  });
});

describe("an answer that is encoded", () => {
  const packed = (encoding: string, body: Buffer) => answerBytes(200, body, encoding);
  const text = Buffer.from(JSON.stringify(goodBody));
  const encodings: [string, Buffer][] = [
    ["gzip", gzipSync(text)],
    ["X-GZip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["", gzipSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", text],
    ["", text],
  ];
  it.each(encodings)("is read: %s", async (encoding, body) => {
    const server = await serve(packed(encoding, body));
    await expect(clientOperations.startExport(clientFor(server.url))).resolves.toMatchObject({ jobId: "job-1" });
    expect(server.requests[0]?.headers["accept-encoding"]).toBeUndefined();
  });

  const bomb = Buffer.from(`{"jobId":"${"x".repeat(300 * 1024)}"}`);
  it.each([
    ["gzip", gzipSync(bomb), "256 KiB are read"],
    ["br", brotliCompressSync(bomb), "256 KiB are read"],
    ["zstd", zstdCompressSync(bomb), "256 KiB are read"],
    ["gzip", gzipSync(text).subarray(0, -9), "cannot be decoded as gzip"],
    ["br", text, "cannot be decoded as br"],
    ["compress", text, 'the unknown encoding "compress"'],
    ["toString", text, 'the unknown encoding "tostring"'],
    ["gzip, gzip, gzip, gzip", text, "too many encodings"],
  ])("is read within its bounds, and a start stays in doubt: %s", async (encoding, body, told) => {
    const server = await serve(packed(encoding, body));
    const error = await rejection(clientOperations.startExport(clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_AMBIGUOUS_START", doubtful: true });
    expect(error.message).toContain(told);
    expect(server.requests).toHaveLength(1);
  });
});

function answerBytes(status: number, body: Buffer, encoding: string): Parameters<typeof serve>[0] {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding });
    response.end(body);
  };
}
