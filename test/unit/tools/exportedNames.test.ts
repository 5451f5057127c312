import { expect, it } from "vitest";
import { namesInTwoFiles } from "../../../tools/check/exportedNames";

it.each([
  ["export const a = 1;", ["0.ts, 1.ts: a"]],
  ["export function a() {}", ["0.ts, 1.ts: a"]],
  ["export interface a {}", ["0.ts, 1.ts: a"]],
  ["export abstract class a {}", ["0.ts, 1.ts: a"]],
  ["const a = 1;", []],
  ['export { a } from "./1";', []],
  ["export default function a() {}", []],
])("an exported name is declared by one file: %s", (text, found) => {
  const sources = { "0.ts": text, "1.ts": "export type a = string; export const a = 2;" };
  expect(namesInTwoFiles(new Map(Object.entries(sources)))).toEqual(found);
});
