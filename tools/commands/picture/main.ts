import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { draw, worthShowing } from "./draw";
import { drawTrace } from "./drawTrace";
import { recordTrace } from "./recordTrace";

const pictures = join(projectRoot, "docs", "pictures");

/** `npm run picture`: records runs against the embedded platform, and draws what they printed and what their trace holds. */
async function main(): Promise<void> {
  recordRun();
  const spans = await recordTrace();
  writeFileSync(join(pictures, "trace.json"), `${JSON.stringify(spans, null, 2)}\n`);
  writeFileSync(join(pictures, "trace.svg"), drawTrace(spans));
}

function recordRun(): void {
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

void main();
