import { expect, it } from "vitest";
import * as errors from "../../../../provider/support/errors";

const facts = { happened: "it broke.", remedy: "mend it." };

const own: errors.DocsPlatformError[] = [
  new errors.ConfigurationError(["a is missing", "b is missing"]),
  new errors.PlatformOriginMismatchError("https://a.test", "https://b.test", "DOCS_PLATFORM_BASE_URL"),
  new errors.RunCancelledError(),
  new errors.InternalError(new TypeError("x is not a function")),
];
const abstract: unknown[] = [errors.DocsPlatformError, errors.RequestError];
type FactsError = new (given: typeof facts) => errors.DocsPlatformError;
const every = (Object.values(errors) as unknown[])
  .filter((value) => typeof value === "function" && value.prototype instanceof errors.DocsPlatformError)
  .filter((value) => !abstract.includes(value))
  .map((value) => own.find((error) => error.constructor === value) ?? new (value as FactsError)(facts));

it.each(every.map((error) => [error.name, error] as const))(
  "%s has a code, its name, and a message of the four lines",
  (name, error) => {
    expect(error.code).toMatch(/^DOCS_[A-Z_]+$/);
    expect(name).toMatch(/Error$/);
    expect(error.message.startsWith(`${error.code}: `)).toBe(true);
    expect(error.message).toMatch(/^.+\n {2}Exists now: \S.*\n {2}Next run: {3}\S.*\n {2}What to do: \S.*$/);
    expect(error.message).not.toMatch(/\n\s+at |\.\./);
    expect(String(error)).toBe(`${name}: ${error.message}`);
  },
);

it("no two classes share a code", () => {
  expect(every.length).toBeGreaterThan(20);
  expect(new Set(every.map(({ code }) => code)).size).toBe(every.length);
});

it("only a lost start is doubtful by its class, and an unreadable answer as its maker says", () => {
  const doubtful = every.filter((error) => error instanceof errors.RequestError && error.doubtful);
  expect(doubtful.map((error) => error.code)).toEqual(["DOCS_AMBIGUOUS_START"]);
  expect(new errors.ResponseShapeError(facts, true).doubtful).toBe(true);
});

it("withOutcome tells in this order what exists, what comes next and what to do, and keeps what was said first", () => {
  const error = new errors.ServerError(facts).withOutcome({ exists: "export job 1.", nextRun: "goes on." });
  expect(error.withOutcome({ exists: "nothing.", nextRun: "nothing.", remedy: "nothing." })).toBe(error);
  expect(error.message.split("\n")).toEqual([
    "DOCS_SERVER: it broke.",
    "  Exists now: export job 1.",
    "  Next run:   goes on.",
    "  What to do: mend it.",
  ]);
  const { message } = new errors.ServerError(facts).withOutcome({ exists: "x.", nextRun: "y.", remedy: "wait." });
  expect(message).toContain("What to do: wait.");
  expect(message).not.toContain("mend it.");
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

it("asDocsPlatformError passes what is of the tree, and makes a fault of everything else", () => {
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
