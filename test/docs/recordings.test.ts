import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { readDocument } from "./documents";

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

it("the README shows the summary of the recorded run as it stands there", () => {
  const [summary] = readDocument("README.md").blocks.filter(({ language }) => language === "");
  expect(summary?.text).toMatch(/^requests {2}seconds {2}step\n( +\d+ .*\n){3}$/);
  expect(read("docs/pictures/run.txt")).toContain(`\n${summary?.text}\n`);
});

it("the page on delivery has the sums of the recorded run on a real node", () => {
  const ways = read("docs/pictures/cluster.txt").split("━━ ").slice(1);
  const sums = ways.map((way) => {
    const steps = [...way.matchAll(/^ *(\d+) requests, (\d+) failed/gm)];
    const [sent, failed] = [1, 2].map((part) => steps.reduce((sum, step) => sum + Number(step[part]), 0));
    return `${failed} of ${sent?.toLocaleString("en-US")}`;
  });
  expect(read("docs/guides/delivery.md").match(/\b\d+ of [\d,]+(?= \|)/g)).toEqual(sums);
});
