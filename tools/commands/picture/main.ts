import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { draw, worthShowing } from "./draw";

const pictures = join(projectRoot, "docs", "pictures");

/** `npm run picture`: records `npm start` against the embedded platform, and draws what it printed. */
function main(): void {
  const unset = { DOCS_PLATFORM_BASE_URL: "", DOCS_PLATFORM_API_KEY: "", DOCS_PLATFORM_DOMAIN: "" };
  const { status, stdout } = spawnSync("npm", ["start", "--silent"], {
    cwd: projectRoot,
    env: { ...process.env, ...unset },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`npm start ended with ${status ?? "a signal"}: nothing was drawn`);
  }
  const session = `$ npm start\n${stdout}`;
  writeFileSync(join(pictures, "run.txt"), session);
  writeFileSync(join(pictures, "run.svg"), draw(worthShowing(session)));
}

main();
