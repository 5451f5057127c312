import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatStringLiteral, printable } from "../../../../provider/support/printable";
import { expectHarmless, hostileText } from "../../../support/hostileText";

describe("a foreign text on a line of ours", () => {
  it.each([
    ["ends no line", "a\r\nb\u0085c\u2028d\u2029e", "a b c d e"],
    ["sets no clipboard, and no colour", "\u001b]52;c;eA==\u0007 \u009b31m red", "]52;c;eA==   31m red"],
    ["turns no direction", "invoice\u202egpj.exe \u2066x\u2069", "invoice gpj.exe  x"],
    ["begins no command of a pipeline", " \n\u200b::stop-commands::x", ": :stop-commands::x"],
    [
      "holds no command of a pipeline",
      "a ##[error]b ##vso[task.setvariable]c",
      "a # #[error]b # #vso[task.setvariable]c",
    ],
    ["holds no half of a character", "a\ud83db", "a b"],
    ["else stays as it is", "ünï-日本 👍 a  b: :: ## [x] 100 %", "ünï-日本 👍 a  b: :: ## [x] 100 %"],
  ])("%s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("is cut, and shows no half of a secret that was cut", () => {
    expect(printable("x".repeat(301), 300)).toBe(`${"x".repeat(300)}…`);
    expect(printable(`y${"x".repeat(300)}`, 300, "end")).toBe(`…${"x".repeat(300)}`);
    // The text is redacted before it is cut, because the cut secret would not look like a secret any more.
    expect(printable(`${"x".repeat(275)} https://user:s3cr3t-and-long@files.test/`, 300)).not.toContain("s3cr3t");
    expect(printable(`Bearer s3cr3t_and_long ${"x".repeat(285)}`, 300, "end")).not.toContain("and_long");
    expect(printable(`${"x".repeat(299)}👍`, 300)).toBe(`${"x".repeat(299)} …`);
  });

  it("is harmless whatever it is, and cleaned twice the same", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = printable(text);
        expectHarmless(shown);
        expect(shown).not.toContain("\n");
        expect(printable(shown, 5_000)).toBe(shown);
      }),
      { numRuns: 2_000, seed: 53 },
    );
  });
});

describe("a foreign text as a literal", () => {
  const evaluate = (code: string) => new Function(`return ${code}`)();

  it.each(["job-1", "docs.example.com", "ünï-日本", "a/b:c@d+e_f"])("%j, which needs no escape, has none", (text) => {
    expect(formatStringLiteral(text)).toBe(`"${text}"`);
  });

  it("is one literal, and that very text, whatever the text is", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: "binary" })), (text) => {
        expect(formatStringLiteral(text)).toMatch(/^"[^"]*"$/);
        expect(evaluate(formatStringLiteral(text))).toBe(text);
      }),
      { numRuns: 1_000, seed: 54 },
    );
  });

  it("stays one literal where a secret is removed from it", () => {
    const opening = fc.constantFrom("https://x?", "sig=", "svc_", "Bearer 1", "a://", "token=\\");
    const inner = fc.array(fc.constantFrom('"', "\\", "@", "?", "a", "'", "`", "\n", " ", "+process.exit()+", "//"));
    fc.assert(
      fc.property(opening, inner, (begin, parts) => {
        const shown = printable(`f(${formatStringLiteral(begin + parts.join(""))}, "end")`);
        const args: unknown[] = [];
        new Function("f", "process", shown)((...given: unknown[]) => args.push(...given), undefined);
        expect(args).toEqual([expect.any(String), "end"]);
      }),
      { numRuns: 1_000, seed: 55 },
    );
  });
});
