import fc from "fast-check";
import { expect } from "vitest";

/** Texts that would change a pipeline, a terminal or a program if they were printed unchanged. */
export const hostileTexts = [
  "\n::stop-commands::token",
  "\r::add-mask::docs",
  " \u0085::error::x",
  "\u2028::set-output name=x::y",
  "::warning::x",
  "##[add-mask]x",
  "##vso[task.setvariable variable=x]y",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u009b2J",
  "\u001b[1A\u001b[2K",
  "\u202egpj.exe",
  "\u2066hidden\u2069",
  "\u200b::x",
  "\ud800",
  '"}); process.exit(); //',
  "\\",
] as const;

export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...hostileTexts), fc.constantFrom("a", " ", "\n", ":", "::"), fc.string()), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));

/** Asserts that a text cannot control a terminal, and that none of its lines is a command for a pipeline. */
export function expectHarmless(text: string): void {
  for (const line of text.split("\n")) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(line).not.toMatch(/^\s*::/);
    expect(line).not.toMatch(/##\w*\[/);
  }
}
