import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { registerKeyAndParts } from "../../../../provider/support/redact";
import {
  agentKey,
  type ClientOperation,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const names = Object.keys(clientOperations) as ClientOperation[];

it.each(names)(
  "an error in the place of the fields, though the status is 200, is reported with the platform's words, and is no doubt: %s",
  async (name) => {
    const server = await serve(answer(200, { error: { message: "the quota\nis used up" }, jobId: null }));
    const error = await rejection(clientOperations[name](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_REFUSED", doubtful: false });
    expect(error.message).toContain(
      "was answered with a success status, but with an error in the body: the quota is used up",
    );
    expect(server.requests).toHaveLength(1);
  },
);

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

describe("a job id that repeats a part of the key", () => {
  it.each([
    ["of a start is refused, and the start stays in doubt", "startExport", "DOCS_RESPONSE_SHAPE"],
    ["of another answer is passed over", "getExport", undefined],
  ] as const)("%s", async (_, operation, code) => {
    registerKeyAndParts("svc_J7wq0Zr5Tn2X");
    const server = await serve(answer(200, { ...goodBody, jobId: "job-wq0Zr5Tn" }));
    const result: unknown = await clientOperations[operation](clientFor(server.url)).catch((error: Error) => error);
    expect(result).toMatchObject(code === undefined ? { status: "running" } : { code, doubtful: true });
    expect(result instanceof Error ? result.message : "the key").toContain("the key");
    expect(JSON.stringify(result) + (result instanceof Error ? result.message : "")).not.toContain("wq0Zr5Tn");
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

  it.each([null, undefined])(
    "ends when its signature says so, if nothing else reports its end: %j",
    async (expiresAt) => {
      const bundleUrl = "https://b.test/x?X-Amz-Date=20260131T100000Z&X-Amz-Expires=60";
      expect(await minted({ bundleUrl, expiresAt })).toMatchObject({ expiresAt: Date.parse("2026-01-31T10:01:00Z") });
    },
  );

  it("without a whole address is refused", async () => {
    for (const bundleUrl of ["files/a.zip", "ftp://b.test/a", "javascript:/x", "https:///", "//"]) {
      await expect(minted({ bundleUrl })).rejects.toMatchObject({ code: "DOCS_RESPONSE_SHAPE" });
    }
  });
});

describe("an answer about a bundle without a link", () => {
  it.each([
    ["running", "DOCS_CONFLICT", 'has no link yet: its status is "running"'],
    ["completed", "DOCS_CONFLICT", 'has no link yet: its status is "completed"'],
    ["FAILED", "DOCS_JOB_FAILED", 'has no bundle: its status is "FAILED": no quota'],
  ])("is the record of a job: %s", async (status, code, text) => {
    for (const bundleUrl of [undefined, null, ""]) {
      const server = await serve(answer(200, { jobId: "job-1", status, error: "no quota", bundleUrl }));
      const error = await rejection(clientOperations.createBundle(clientFor(server.url)));
      expect(error).toMatchObject({ code });
      expect(error.message).toContain(text);
      expect(server.requests).toHaveLength(1);
    }
  });

  it("has the size of the archive, where the platform names one", async () => {
    for (const [sizeBytes, size] of [
      [17, 17],
      ["17", 17],
      [-1, undefined],
      [null, undefined],
    ]) {
      const server = await serve(answer(200, { ...goodBody, sizeBytes }));
      await expect(clientOperations.createBundle(clientFor(server.url))).resolves.toMatchObject({ sizeBytes: size });
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
    ["GZIP", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["identity", text],
    ["", text],
  ];
  it.each(encodings)("is read: %s", async (encoding, body) => {
    const server = await serve(packed(encoding, body));
    await expect(clientOperations.startExport(clientFor(server.url))).resolves.toMatchObject({ jobId: "job-1" });
    expect(server.requests[0]?.headers["accept-encoding"]).toBeUndefined();
  });

  const bomb = Buffer.from(`{"jobId":"${"x".repeat(9 * 1024 ** 2)}"}`);
  it.each([
    ["gzip", gzipSync(bomb), "8 MiB are read"],
    ["br", brotliCompressSync(bomb), "8 MiB are read"],
    ["gzip", gzipSync(text).subarray(0, -9), "cannot be decoded as gzip"],
    ["br", text, "cannot be decoded as br"],
    ["compress", text, 'the unknown encoding "compress"'],
    ["toString", text, 'the unknown encoding "tostring"'],
    ["gzip, br", text, 'the unknown encoding "gzip, br"'],
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
