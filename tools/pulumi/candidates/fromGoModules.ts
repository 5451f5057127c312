import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { goEnvironment } from "../../goEnvironment";
import type { Attempt } from "../attempt";
import { inScratch, publish } from "../cacheFolder";
import type { Pins } from "../pins";
import { elapsed, say, withProgress } from "../progress";
import { dynamicHost, languageHost, proveOwn } from "../prove";
import { lastLines, runTool } from "../runTool";

const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
const enginePackage = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
const hostPackage = "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs";

/**
 * Where a build is kept. The version of Go is not in the name, so that finding a build needs no `go`: a build by
 * another Go is as good, and each is proven before use. `built-with.txt` in the folder tells it.
 */
export function builtFolder(cache: string, pins: Pins): string {
  const name = ["pulumi", pins.engine, "hosts", pins.hosts, process.platform, process.arch, pins.fingerprint].join("-");
  return join(cache, name);
}

/** Builds the command line and the language host from their public Go modules. */
export async function buildFromGoModules(cache: string, pins: Pins, signal: AbortSignal): Promise<Attempt> {
  const started = Date.now();
  const what = `building Pulumi ${pins.engine} from its Go modules (about four minutes on two cores, once)`;
  const attempt = await inScratch(cache, (scratch) =>
    withProgress(what, 0, () => buildInto(scratch, cache, pins, signal)),
  );
  if ("folder" in attempt) say(`built Pulumi ${pins.engine} in ${elapsed(Date.now() - started)}: ${attempt.folder}`);
  return attempt;
}

async function buildInto(scratch: string, cache: string, pins: Pins, signal: AbortSignal): Promise<Attempt> {
  const made = join(scratch, "made");
  const work = join(scratch, "work");
  await Promise.all([made, work].map((folder) => mkdir(folder)));
  const go = (args: readonly string[], cwd: string) => runTool("go", args, { cwd, env: goEnvironment(work), signal });
  const version = await go(["env", "GOVERSION"], pins.engineFolder);
  if (!version.ok) return { problem: `go env: ${version.problem}` };
  for (const [name, from, cwd, release] of [
    ["pulumi", enginePackage, pins.engineFolder, pins.engine],
    [languageHost, hostPackage, pins.hostsFolder, pins.hosts],
  ] as const) {
    const outcome = await go(["build", ...flags(release), "-o", join(made, name), from], cwd);
    if (!outcome.ok) {
      return { problem: `${version.stdout.trim()}, go build ${from} failed:\n${lastLines(outcome.output, 20)}` };
    }
  }
  await addDynamicHost(made);
  await writeFile(join(made, "built-with.txt"), version.stdout);
  const proven = await proveOwn(made);
  if ("problem" in proven) return proven;
  const folder = builtFolder(cache, pins);
  await publish(made, folder, scratch);
  return { folder };
}

function flags(release: string): string[] {
  return ["-trimpath", "-buildvcs=false", "-ldflags", `-s -w -X ${versionVariable}=v${release}`];
}

async function addDynamicHost(made: string): Promise<void> {
  const sdk = dirname(createRequire(__filename).resolve("@pulumi/pulumi/package.json"));
  await copyFile(join(sdk, dynamicHost), join(made, dynamicHost));
  await chmod(join(made, dynamicHost), 0o755);
}
