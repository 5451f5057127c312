import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  agentKey,
  clientFor,
  goodBody,
  never,
  type Operation,
  operations,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const names = Object.keys(operations) as Operation[];

describe("an error in the place of the fields, though the status is 200,", () => {
  it.each(names)("is told with the platform's words, and is no doubt: %s", async (name) => {
    const server = await serve(answer(200, { error: { message: "the quota\nis used up" }, jobId: null }));
    const error = await rejection(operations[name](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_REFUSED", doubtful: false });
    expect(error.message).toContain("was answered with an error, though as a success: the quota is used up");
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
    const error = await rejection(operations.startExport(clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: true });
  });
});

describe("an answer that is about another thing than the one that was asked for", () => {
  it.each(["getExport", "createBundle", "sendMessage", "getAgentJob"] as const)("is refused: %s", async (name) => {
    const server = await serve(answer(200, { ...goodBody, jobId: "job-2", id: "agent-2" }));
    const error = await rejection(operations[name](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: name === "sendMessage" });
    expect(error.message).toMatch(/it is about (job|agent)-2, and (job|agent)-1 was asked for/);
  });

  it.each([
    { jobId: "JOB-1", id: "AGENT-1" },
    { jobId: undefined, id: undefined },
    { jobId: {}, id: [] },
  ])("is not one that writes the id in another way, or not at all: %j", async (ids) => {
    const server = await serve(answer(200, { ...goodBody, ...ids }));
    const client = clientFor(server.url);
    await expect(operations.getExport(client)).resolves.toMatchObject({ status: "running" });
    await expect(client.getAgentJob(agentKey, { signal: never })).resolves.toMatchObject({ status: "running" });
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
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", text],
    ["", text],
  ];
  it.each(encodings)("is read: %s", async (encoding, body) => {
    const server = await serve(packed(encoding, body));
    await expect(operations.startExport(clientFor(server.url))).resolves.toMatchObject({ jobId: "job-1" });
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
    ["gzip, gzip, gzip, gzip", text, "encoded too often"],
  ])("is read within its bounds, and a start stays in doubt: %s", async (encoding, body, told) => {
    const server = await serve(packed(encoding, body));
    const error = await rejection(operations.startExport(clientFor(server.url)));
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
