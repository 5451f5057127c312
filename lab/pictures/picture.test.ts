import { readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { draw, linesToDraw, shownLines } from "./draw";

const read = (name: string) => readFileSync(join(projectRoot, "docs", "pictures", name), "utf8");

it.each(Object.entries(linesToDraw))(
  "the picture %s.svg is what was recorded: `npm run picture` draws it again",
  (name, lines) => {
    expect(read(`${name}.svg`)).toBe(draw(lines(read(`${name}.txt`))));
  },
);

it("the recording of a real node shows every way, and no request that failed", () => {
  const session = read("cluster.txt");
  expect(session.match(/^━━ .+/gm)).toHaveLength(3);
  const steps = [...session.matchAll(/^ *\d+ requests, (\d+) failed/gm)];
  expect(steps.length).toBeGreaterThan(15);
  expect(new Set(steps.map(([, failed]) => failed))).toEqual(new Set(["0"]));
});

it("the picture of a real node has each step of the recording", () => {
  const steps = (text: string) => text.match(/\d+ requests, \d+ failed {2}[\w ,]+/g);
  expect(steps(read("cluster.svg"))).toEqual(steps(read("cluster.txt")));
});

it("the recording of a status shows each state", () => {
  const session = read("status.txt");
  const shown = [...session.matchAll(/ (good|due|expired|failed|interrupted) {2}/g)].map(([, state]) => state);
  expect(new Set(shown)).toEqual(new Set(["good", "due", "expired", "failed", "interrupted"]));
});

it("the recording shows the whole story, and neither a machine's path nor a secret", () => {
  const session = read("run.txt");
  expect(session).toMatch(/1 start, \d+ polls?, 1 bundle/);
  expect(session).toMatch(/^ {7}0 .*nothing changed$/m);
  expect(session).toMatch(/^ {7}1 .*after the link expired/m);
  expect(session).not.toMatch(/X-Amz-Signature|svc_/);
  for (const path of [projectRoot, homedir(), tmpdir()]) {
    expect(session).not.toContain(`${path}/`);
  }
});

it("a line is escaped, also one that comes again, and one that is too long is broken, with nothing lost", () => {
  const svg = draw(shownLines(`<b>&\n<b>&\n${"word ".repeat(30)}\n${"x".repeat(200)}\nDuration: 2s\n`));
  expect(svg.match(/&lt;b&gt;&amp;/g)).toHaveLength(2);
  const shown = [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text = ""]) => text);
  expect(Math.max(...shown.map((text) => text.length))).toBeLessThanOrEqual(100);
  expect(shown.join("").match(/word/g)).toHaveLength(30);
  expect(shown.join("").match(/x/g)).toHaveLength(200);
  expect(svg).not.toContain("Duration");
});
