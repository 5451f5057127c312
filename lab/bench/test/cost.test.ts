import { expect, it } from "vitest";
import { load } from "../cost/loading";

it("a program that loads the package loads no library for requests, schemas or traces with it", () => {
  expect(load().libraries).toEqual([]);
});
