import { describe, expect, it } from "vitest";
import {
  type ClientOperation,
  clientFor,
  clientOperations,
  goodBody,
  rejection,
  testKey,
} from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

async function call<T extends ClientOperation>(operation: T, status: number, body: unknown) {
  const server = await serve(answer(status, typeof body === "string" ? body : JSON.stringify(body)));
  return clientOperations[operation](clientFor(server.url, { maxRetries: 0 })) as ReturnType<
    (typeof clientOperations)[T]
  >;
}

const look = (fields: object) => call("getExport", 200, { status: "running", ...fields });
const mint = (fields: object) => call("createBundle", 200, { ...goodBody, ...fields });

describe("every 2xx answer is good", () => {
  it.each([200, 201, 202, 203])("HTTP %i", async (status) => {
    await expect(call("startExport", status, goodBody)).resolves.toMatchObject({ jobId: "job-1" });
    await expect(call("getExport", status, goodBody)).resolves.toMatchObject({ status: "running" });
    await expect(call("createBundle", status, goodBody)).resolves.toMatchObject({ bundleUrl: goodBody.bundleUrl });
  });

  it("whatever content type it has", async () => {
    const server = await serve(answer(200, goodBody, { "content-type": "text/plain" }));
    await expect(clientOperations.getExport(clientFor(server.url))).resolves.toMatchObject({ status: "running" });
  });

  it("whatever extra fields it has", async () => {
    const extra = { __proto__: 1, constructor: 2, toString: 3, nested: { a: [1] }, sizeBytes: 5 };
    await expect(look(extra)).resolves.toEqual({
      status: "running",
      progress: undefined,
      pageCount: undefined,
      domain: undefined,
      error: undefined,
      startedAt: undefined,
      completedAt: undefined,
      platformTime: expect.any(Number),
    });
    await expect(mint(extra)).resolves.toMatchObject({ bundleUrl: goodBody.bundleUrl });
  });
});

describe("a job", () => {
  it.each([
    ["7", 7_000],
    ["soon", undefined],
  ])("is to be asked for again when the answer says so: %s", async (header, time) => {
    const server = await serve(answer(200, goodBody, { "retry-after": header }));
    const client = clientFor(server.url);
    for (const ask of [clientOperations.getExport, clientOperations.getAgentJob]) {
      const { retryAfter } = await ask(client);
      expect(retryAfter).toBe(time);
    }
  });

  it.each(["COMPLETED", "pre-rendering", " 42\n"])(
    "keeps the status word %j, without blanks around it",
    async (status) => {
      expect(await look({ status, progress: "42%" })).toMatchObject({ status: status.trim(), progress: 0.42 });
    },
  );

  it.each([
    [0, 0],
    [12, 12],
    ["12", 12],
    [" 12 ", 12],
    [1.5, undefined],
    [-1, undefined],
    ["", undefined],
    ["many", undefined],
    [null, undefined],
    [undefined, undefined],
    [[12], undefined],
    [{ count: 12 }, undefined],
    [true, undefined],
  ])("with the pageCount %j has %j pages", async (pageCount, count) => {
    expect((await look({ pageCount })).pageCount).toBe(count);
  });

  it("shows its times and its domain where it has them, by either of the names in use", async () => {
    const time = "2026-01-31T10:00:00Z";
    const milliseconds = Date.parse(time);
    const times = { startedAt: milliseconds, completedAt: milliseconds };
    expect(await look({ startedAt: time, completedAt: time, domain: "a.test" })).toMatchObject({
      ...times,
      domain: "a.test",
    });
    expect(await look({ createdAt: time, finishedAt: time })).toMatchObject(times);
    expect(await look({ startedAt: null, createdAt: time, completedAt: "?", domain: 3 })).toMatchObject({
      startedAt: milliseconds,
      completedAt: undefined,
      domain: undefined,
    });
  });
});

it.each([
  ["a text", "job/ü 1", "job/ü 1"],
  ["a whole number", 42, "42"],
  ["zero", 0, "0"],
])("a started job has %s as its id", async (_, jobId, id) => {
  expect((await call("startExport", 201, { jobId })).jobId).toBe(id);
});

describe("a body that shows too little is an error which names the operation and the place", () => {
  const titles = {
    startExport: "start a static export job",
    getExport: "get static export job status",
    createBundle: "generate export bundle",
    sendMessage: "send a follow-up message to an agent job",
    getAgentJob: "get an agent job",
  };

  it.each<[ClientOperation, unknown, string]>([
    ["startExport", {}, "jobId"],
    ["startExport", { jobId: 1.5 }, "jobId"],
    ["startExport", { jobId: 2 ** 53 }, "jobId"],
    ["startExport", { id: "job-1" }, "jobId"],
    ["getExport", {}, "status"],
    ["getExport", { status: " " }, "status"],
    ["createBundle", { ...goodBody, status: undefined, bundleUrl: undefined }, "bundleUrl"],
    ["createBundle", { ...goodBody, bundleUrl: "relative/x.tar.gz" }, "bundleUrl"],
    ["createBundle", { ...goodBody, bundleUrl: "file:///etc/passwd" }, "bundleUrl"],
    ["createBundle", { ...goodBody, bundleUrl: "https://" }, "bundleUrl"],
    ["createBundle", { ...goodBody, expiresAt: undefined }, "expiresAt"],
    ["createBundle", { ...goodBody, expiresAt: "soon" }, "expiresAt"],
    ["sendMessage", { ...goodBody, status: undefined }, "status"],
    ["getAgentJob", {}, "status"],
  ])("%s of %j", async (operation, body, path) => {
    const error = await rejection(call(operation, 200, body));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE" });
    expect(error.message).toContain(`"${titles[operation]}"`);
    expect(error.message).toContain(`${path}: `);
    expect(error.message).not.toContain("undefined");
    const isTime = path === "expiresAt";
    const isMissing = !(path in JSON.parse(JSON.stringify(body)));
    expect(error.message.includes(`${path}: is missing`)).toBe(isMissing && !isTime);
    expect(error.message).not.toContain("svc_");
  });

  it.each(Object.keys(titles) as ClientOperation[])("%s of what is no object", async (operation) => {
    for (const [body, said] of [
      ["null", "the body: "],
      ["[]", "the body: "],
      ['[{"jobId":"1","status":"completed"}]', "the body: "],
      ['"completed"', "the body: "],
      ["42", "the body: "],
      ['{"jobId":', "the body is not JSON"],
      ["", "the body is empty"],
      [" \n", "the body is empty"],
    ] as const) {
      const error = await rejection(call(operation, 200, body));
      expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE" });
      expect(error.message).toContain(`"${titles[operation]}" cannot be understood: ${said}`);
      expect(error.message.split("\n").at(-1)).toMatch(/^ {2}What to do: /);
    }
  });

  it.each(["[", '{"error":'])("a body of a hundred thousand levels is such an error, too: %s", async (level) => {
    const depth = 100_000;
    const nested = `${level.repeat(depth)}1${(level === "[" ? "]" : "}").repeat(depth)}`;
    const error = await rejection(call("getExport", 200, `{"status":"failed","error":${nested}}`));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE" });
  });

  it("shows nothing of the body, which may contain a key or a signed link", async () => {
    const body = {
      ...goodBody,
      status: [`${testKey} https://f.test/x?sig=s3cr3t`],
      expiresAt: `${testKey} https://f.test/x?sig=s3cr3t`,
      bundleUrl: "ftp://f.test/x?sig=s3cr3t",
    };
    for (const operation of ["createBundle", "sendMessage"] as const) {
      const { message } = await rejection(call(operation, 200, body));
      expect(message).not.toContain(testKey);
      expect(message).not.toContain("s3cr3t");
    }
  });
});
