import { describe, expect, it } from "vitest";
import { namesInTwoFiles } from "../../../tools/check/exportedNames";

function found(...texts: string[]): string[] {
  return namesInTwoFiles(new Map(texts.map((text, index) => [`${index}.ts`, text])));
}

describe("an exported name", () => {
  it.each([
    "export const a = 1;",
    "export function a() {}",
    "export interface a {}",
    "export type a = string;",
    "export abstract class a {}",
  ])("is declared by one file: %s", (text) => {
    expect(found(text, "export const a = 2;")).toEqual(["0.ts, 1.ts: a"]);
  });

  it.each([
    "const a = 1;",
    'export { a } from "./1";',
    'export * from "./1";',
    "export default function a() {}",
    "export type a = string; export const b = 1;",
  ])("may be declared once, and be passed on: %s", (text) => {
    expect(found(text, "export const c = 2;")).toEqual([]);
  });

  it("may be a type and a value of one file", () => {
    expect(found("export type a = string; export const a = 1;")).toEqual([]);
  });
});
