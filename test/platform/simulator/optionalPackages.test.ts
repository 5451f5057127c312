import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { temporaryFolder } from "../../support/temporaryFolder";

const optional = ["hono", "@hono/node-server", "@hono/zod-openapi", "markdown-it"];
const line = `npm install --save-dev ${optional.join(" ")}`;

/**
 * Runs a program that starts the platform. The program's project has the built package, the dependencies, and these
 * optional packages. Returns the output.
 */
function startIn(installed: readonly string[]): string {
  const folder = temporaryFolder();
  cpSync(join(projectRoot, "dist", "simulator"), join(folder, "simulator"), { recursive: true });
  for (const name of ["tar-stream", "zod", ...installed]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), link);
  }
  const program = `try {
    require("./simulator").startPlatform({ content: "." }).then((platform) => platform.close());
    console.log("started");
  } catch (error) {
    console.log(error.message);
  }`;
  return execFileSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" });
}

describe("the embedded platform without its optional packages", () => {
  test("shows the line that installs them, which the page on tests has too", () => {
    for (const missing of optional) {
      expect(startIn(optional.filter((name) => name !== missing))).toContain(line);
    }
    expect(readFileSync(join(projectRoot, "docs", "guides", "testing.md"), "utf8")).toContain(line);
  });

  test("starts where all are installed", () => {
    expect(startIn(optional)).toBe("started\n");
  });
});
