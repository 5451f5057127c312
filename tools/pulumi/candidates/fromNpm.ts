import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "../attempt";
import { inScratch, publish } from "../cacheFolder";
import type { Pins } from "../pins";
import { withProgress } from "../progress";
import { proveOwn } from "../prove";
import { runTool } from "../runTool";

/** A download that takes longer than this is given up: by then a build is nearly done. */
const timeLimit = 5 * 60_000;
/** Refused at once, as on a machine without that network, it should not even be seen. */
const quietFor = 3_000;

/** Where a fetched official release is kept. */
export function fetchedFolder(cache: string, pins: Pins): string {
  return join(cache, `pulumi-${pins.engine}-official-${process.platform}-${process.arch}`);
}

/** Fetches the official release by the official npm package `pulumi`, which downloads it when it is first run. */
export function fetchFromNpm(cache: string, pins: Pins, signal: AbortSignal): Promise<Attempt> {
  const what = `fetching Pulumi ${pins.engine} by the npm package pulumi`;
  return inScratch(cache, (scratch) => withProgress(what, quietFor, () => fetchInto(scratch, cache, pins, signal)));
}

async function fetchInto(scratch: string, cache: string, pins: Pins, signal: AbortSignal): Promise<Attempt> {
  const temporary = join(scratch, "tmp");
  await mkdir(temporary);
  const outcome = await runTool("npx", ["--yes", `pulumi@${pins.engine}`, "version"], {
    cwd: scratch,
    env: {
      PULUMI_HOME: scratch,
      TMPDIR: temporary,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // It would win over the version that is asked for.
      PULUMI_VERSION: undefined,
      // npm's own patience with a network that swallows packets is several minutes.
      npm_config_fetch_retries: "0",
      npm_config_fetch_timeout: "20000",
      npm_config_update_notifier: "false",
    },
    timeLimit,
    signal,
  });
  if (!outcome.ok) return { problem: `npx pulumi@${pins.engine}: ${outcome.problem}` };
  const fetched = join(scratch, "versions", pins.engine, "bin");
  const proven = await proveOwn(fetched);
  if ("problem" in proven) return proven;
  const folder = fetchedFolder(cache, pins);
  await publish(fetched, folder, scratch);
  return { folder };
}
