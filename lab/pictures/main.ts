import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../tools/projectRoot";
import { draw, linesToDraw } from "./draw";

const pictures = join(projectRoot, "docs", "pictures");

/** `npm run picture -- cluster` records the campaign on a real node, in about ten minutes. */
function main(): void {
  if (process.argv[2] === "cluster") {
    record("cluster", "npm run campaign -- lab/cluster/test/ways.test.ts", storyOf);
  } else if (process.argv[2] === "status") {
    record("status", "npm exec -- tsx lab/pictures/statusStory.ts", (printed) => printed, "");
  } else {
    record("run", "npm start", (printed) => printed);
  }
}

/** @param shown selects the part of the output to keep. */
function record(name: string, command: string, shown: (printed: string) => string, firstLine = `$ ${command}\n`): void {
  const unset = { DOCS_PLATFORM_BASE_URL: "", DOCS_PLATFORM_API_KEY: "", DOCS_PLATFORM_DOMAIN: "" };
  const [file = "", verb = "", ...args] = command.split(" ");
  const { status, stdout } = spawnSync(file, [verb, "--silent", ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...unset },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`${command} ended with ${status ?? "a signal"}: nothing was drawn`);
  }
  const session = `${firstLine}${shown(stdout)}`;
  writeFileSync(join(pictures, `${name}.txt`), session);
  writeFileSync(join(pictures, `${name}.svg`), draw(linesToDraw[name]?.(session) ?? []));
}

/** Keeps the lines that the tests print about their steps. Removes vitest's own lines and its table. */
function storyOf(printed: string): string {
  const lines = printed.split("\n").filter((line) => /^━━ |^ *\d+ requests, /.test(line));
  return `${lines.join("\n")}\n`;
}

main();
