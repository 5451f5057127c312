import { expect, it } from "vitest";
import { runtimeProblem } from "../../../../provider/support/packageFacts";

it("a provider process on Bun is refused, by what to put on PATH, and one on Node.js is not", () => {
  expect(runtimeProblem({ node: "24.3.0", bun: "1.4.5" })).toMatch(
    /runs on Bun 1\.4\.5, but needs Node\.js 22\.19\.0 or later\. Install it, and put its `node` on PATH/,
  );
  expect(runtimeProblem(process.versions)).toBeUndefined();
});

it.each(["18.20.8", "20.20.2", "22.9.0", "22.18.1"])("a provider process on Node.js %s is refused", (node) => {
  expect(runtimeProblem({ node })).toMatch(
    `the provider process runs on Node.js ${node}, but needs Node.js 22.19.0 or later. Install it, and put its \`node\` on PATH`,
  );
});

it.each(["22.19.0", "22.23.3", "24.0.0", "26.10.0", "100.0.0"])("a provider process on Node.js %s serves", (node) => {
  expect(runtimeProblem({ node })).toBeUndefined();
});
