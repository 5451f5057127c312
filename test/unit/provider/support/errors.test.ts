import { describe, expect, it } from "vitest";
import * as errors from "../../../../provider/support/errors";

const facts = { happened: "it broke.", remedy: "mend it." };

const every: [errors.DocsPlatformError, string][] = [
  [new errors.ConfigurationError(["a is missing", "b is missing"]), "DOCS_CONFIGURATION"],
  [new errors.OriginError("https://a.test", "https://b.test", "DOCS_PLATFORM_BASE_URL"), "DOCS_ORIGIN"],
  [new errors.AuthenticationError(facts), "DOCS_AUTHENTICATION"],
  [new errors.PermissionError(facts), "DOCS_PERMISSION"],
  [new errors.NotFoundError(facts), "DOCS_NOT_FOUND"],
  [new errors.ConflictError(facts), "DOCS_CONFLICT"],
  [new errors.RateLimitError(facts), "DOCS_RATE_LIMIT"],
  [new errors.RefusedError(facts), "DOCS_REFUSED"],
  [new errors.ServerError(facts), "DOCS_SERVER"],
  [new errors.ConnectionError(facts), "DOCS_CONNECTION"],
  [new errors.TimeoutError(facts), "DOCS_TIMEOUT"],
  [new errors.ResponseShapeError(facts, false), "DOCS_RESPONSE_SHAPE"],
  [new errors.AmbiguousStartError(facts), "DOCS_AMBIGUOUS_START"],
  [new errors.JournalError(facts), "DOCS_JOURNAL"],
  [new errors.JobFailedError(facts), "DOCS_JOB_FAILED"],
  [new errors.WaitTimeoutError(facts), "DOCS_WAIT_TIMEOUT"],
  [new errors.InterruptedError(), "DOCS_INTERRUPTED"],
  [new errors.LinkExpiredError(facts), "DOCS_LINK_EXPIRED"],
  [new errors.LinkAddressError(facts), "DOCS_LINK_ADDRESS"],
  [new errors.LinkRefusedError(facts), "DOCS_LINK_REFUSED"],
  [new errors.ArchiveError(facts), "DOCS_ARCHIVE"],
  [new errors.DownloadError(facts), "DOCS_DOWNLOAD"],
  [new errors.ChecksumError(facts), "DOCS_CHECKSUM"],
  [new errors.DestinationError(facts), "DOCS_DESTINATION"],
  [new errors.AdoptionError(facts), "DOCS_ADOPTION"],
  [new errors.InternalError(new TypeError("x is not a function")), "DOCS_INTERNAL"],
];

describe.each(every.map(([error, code]) => ({ error, code, name: error.name })))("$name", ({ error, code, name }) => {
  it(`has the code ${code}, its own name, and a message of the four lines`, () => {
    expect(error.code).toBe(code);
    expect(error).toBeInstanceOf(errors.DocsPlatformError);
    expect(error).toBeInstanceOf(Error);
    expect(name).toMatch(/Error$/);
    expect(error.message.startsWith(`${code}: `)).toBe(true);
    expect(error.message).toMatch(/^.+\n {2}Exists now: \S.*\n {2}Next run: {3}\S.*\n {2}What to do: \S.*$/);
    expect(error.message).not.toMatch(/\n\s+at /);
    expect(error.message).not.toContain("..");
    expect(String(error)).toBe(`${name}: ${error.message}`);
  });
});

it("no two classes share a code", () => {
  expect(new Set(every.map(([error]) => error.code)).size).toBe(every.length);
  const classes = Object.values(errors).filter(
    (value) => typeof value === "function" && value.prototype instanceof errors.DocsPlatformError,
  );
  // RequestError is the only class without direct instances.
  expect(every).toHaveLength(classes.length - 1);
});

it("only a lost start is doubtful by its class, and an unreadable answer as its maker says", () => {
  const doubtful = every
    .map(([error]) => error)
    .filter((error) => error instanceof errors.RequestError && error.doubtful);
  expect(doubtful.map((error) => error.code)).toEqual(["DOCS_AMBIGUOUS_START"]);
  expect(new errors.ResponseShapeError(facts, true).doubtful).toBe(true);
});

describe("withOutcome", () => {
  const outcome = { exists: "export job 1.", nextRun: "goes on." };

  it("tells what exists, what the next run does, and what to do, in this order", () => {
    expect(new errors.ServerError(facts).withOutcome(outcome).message.split("\n")).toEqual([
      "DOCS_SERVER: it broke.",
      "  Exists now: export job 1.",
      "  Next run:   goes on.",
      "  What to do: mend it.",
    ]);
  });

  it("keeps the first one told, as the closest to the cause", () => {
    const error = new errors.ServerError(facts).withOutcome(outcome);
    expect(error.withOutcome({ exists: "nothing.", nextRun: "nothing.", remedy: "nothing." })).toBe(error);
    expect(error.message).toContain("export job 1.");
    expect(error.message).not.toContain("nothing.");
  });

  it("replaces the remedy where it knows a better one", () => {
    const { message } = new errors.ServerError(facts).withOutcome({ ...outcome, remedy: "wait." });
    expect(message).toContain("What to do: wait.");
    expect(message).not.toContain("mend it.");
  });
});

it("no part of a message shows a key or a signed link, whoever wrote it", () => {
  const link = "https://files.test/x?X-Amz-Signature=s3cr3t";
  const error = new errors.ServerError({ happened: `${link} svc_s3cr3t`, remedy: `Bearer s3cr3t ${link}` });
  error.withOutcome({ exists: link, nextRun: "https://u:s3cr3t@h.test/" });
  expect(error.message).not.toContain("s3cr3t");
  expect(error.happened).not.toContain("s3cr3t");
  expect(error.message).toContain("https://files.test/x");
  expect(JSON.stringify(error)).not.toContain("s3cr3t");
  expect(error.stack).not.toContain("s3cr3t");
});

it("asDocsPlatformError passes what is of the tree, and makes a fault of all else", () => {
  const known = new errors.ConflictError(facts);
  expect(errors.asDocsPlatformError(known)).toBe(known);
  for (const [thrown, text] of [
    [new RangeError("far"), "far"],
    ["text", "text"],
    [undefined, "undefined"],
    [null, "null"],
    [{ a: 1 }, "[object Object]"],
  ] as const) {
    const error = errors.asDocsPlatformError(thrown);
    expect(error).toBeInstanceOf(errors.InternalError);
    expect(error.message).toContain(text);
  }
});
