import { expect, it } from "vitest";
import { runtimeProblem } from "../../../../provider/support/runtime";

it("a provider process on Bun is refused, by what to put on PATH, and one on Node.js is not", () => {
  expect(runtimeProblem({ node: "24.3.0", bun: "1.4.5" })).toMatch(
    /runs on Bun 1\.4\.5, .*put Node\.js 20\.18\.1 or later on PATH/,
  );
  expect(runtimeProblem(process.versions)).toBeUndefined();
});
