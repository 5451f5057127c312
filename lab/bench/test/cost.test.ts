import { expect, it } from "vitest";
import { measureLoading } from "../cost/measureLoading";

it("a program that loads the package loads no library for requests, schemas or traces with it", () => {
  expect(measureLoading().libraries).toEqual([]);
});
