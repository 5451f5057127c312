import { readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isExecutable } from "../processes/executables";
import { runTool } from "../processes/runTool";
import type { Recipe } from "./findOrBuild";
import { goBuild } from "./goRecipe";
import { fingerprint, pinFiles, pinnedVersion, pinsFolder } from "./pins";

/** The oldest version of the CLI that works with all SDK versions in the peer range. */
export const oldestPulumi = "3.139.0";
/** The language host of Node.js programs, which every program of this project needs. */
export const languageHost = "pulumi-language-nodejs";
/** This host must be in the folder of `pulumi`. If it is only on PATH, the engine warns at every run. */
const dynamicHost = "pulumi-resource-pulumi-nodejs";

const sdk = "github.com/pulumi/pulumi/sdk/v3";
const variables = { [`${sdk}/go/common/version.Version`]: "v$" };

const engine = {
  name: "pulumi",
  pins: "tools/pins/pulumi",
  module: "github.com/pulumi/pulumi/pkg/v3",
  package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  variables,
};
const nodeHost = {
  name: languageHost,
  pins: "tools/pins/language-hosts",
  module: sdk,
  package: `${sdk}/nodejs/cmd/pulumi-language-nodejs`,
  companions: [`${sdk}/python/cmd/pulumi-language-python`, `${sdk}/go/pulumi-language-go`],
  script: "python/cmd/pulumi-language-python-exec",
  variables,
};

export function pulumiVersion(): string {
  return pinnedVersion(engine);
}

/** Returns the oldest version of Go that builds the CLI and the language host. */
export function oldestGo(): string {
  const versions = [engine, nodeHost].map((part) => {
    const [goMod = ""] = pinFiles(pinsFolder(part)).values();
    return /^go\s+(\S+)/m.exec(goMod)?.[1] ?? "";
  });
  return versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "";
}

/** Returns the recipe for the official release. The npm package `pulumi` downloads the release when it first runs. */
export function officialRelease(): Recipe {
  const release = pulumiVersion();
  return {
    keptName: `pulumi-${release}-official-${process.platform}-${process.arch}`,
    doing: `fetching Pulumi ${release} by the npm package pulumi`,
    problemOf,
    make: (made, work, signal) => download(release, made, work, signal),
  };
}

async function download(release: string, made: string, work: string, signal: AbortSignal): Promise<string> {
  const temporary = join(work, "tmp");
  await mkdir(temporary);
  const outcome = await runTool("npx", ["--yes", `pulumi@${release}`, "version"], {
    cwd: work,
    env: {
      PULUMI_HOME: work,
      TMPDIR: temporary,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // This variable of the user would take precedence over the requested version.
      PULUMI_VERSION: undefined,
      // With its default number of retries, npm waits several minutes in a network that drops packets.
      npm_config_fetch_retries: "0",
      npm_config_fetch_timeout: "20000",
      npm_config_update_notifier: "false",
    },
    // If the download takes longer than this, a build is faster.
    timeLimit: 5 * 60_000,
    signal,
  });
  if (!outcome.ok) {
    return `npx pulumi@${release}: ${outcome.problem}`;
  }
  const downloaded = join(work, "versions", release, "bin");
  const problem = await problemOf(downloaded);
  if (problem === "") {
    await rename(downloaded, made);
  }
  return problem;
}

/** Returns the recipe that builds the CLI and the language hosts from their Go modules. */
export function ownBuild(): Recipe {
  const release = pulumiVersion();
  const contents = [engine, nodeHost].flatMap((part) =>
    ["go.mod", "go.sum"].map((file) => readFileSync(join(pinsFolder(part), file))),
  );
  // Raise the number in this call when you change the flags of the build or the content of the folder.
  const hash = fingerprint("2", ...contents);
  const versions = ["pulumi", release, "hosts", pinnedVersion(nodeHost)];
  return {
    keptName: [...versions, process.platform, process.arch, hash].join("-"),
    doing: `building Pulumi ${release} from its Go modules (about four minutes on two cores)`,
    problemOf,
    async make(made, work, signal) {
      for (const part of [engine, nodeHost]) {
        const problem = await goBuild(part, made, work, signal);
        if (problem !== "") {
          return problem;
        }
      }
      const npmSdk = dirname(createRequire(__filename).resolve("@pulumi/pulumi/package.json"));
      await copyFile(join(npmSdk, dynamicHost), join(made, dynamicHost));
      await chmod(join(made, dynamicHost), 0o755);
      return "";
    },
  };
}

async function problemOf(folder: string): Promise<string> {
  for (const name of ["pulumi", languageHost, dynamicHost]) {
    if (!isExecutable(join(folder, name))) {
      return `${folder} holds no executable ${name}`;
    }
  }
  const problem = await problemOfPulumi(join(folder, "pulumi"));
  return problem === "" ? "" : `${folder}: ${problem}`;
}

/** Runs `pulumi version`, which must not use the network. Returns a description of the problem, or an empty text. */
export async function problemOfPulumi(pulumi: string): Promise<string> {
  const outcome = await runTool(pulumi, ["version"], {
    // A project in the current folder could change the result.
    cwd: tmpdir(),
    env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeLimit: 20_000,
  });
  if (!outcome.ok) {
    return `\`pulumi version\` failed: ${outcome.problem}`;
  }
  const found = outcome.stdout.trim();
  if (!/^v?\d+\.\d+\.\d+/.test(found)) {
    return `\`pulumi version\` printed no version: "${found.slice(0, 80)}"`;
  }
  return isOlder(found, oldestPulumi) ? `it is ${found}, older than v${oldestPulumi}` : "";
}

function isOlder(found: string, than: string): boolean {
  const [a, b] = [numbers(found), numbers(than)];
  const place = a.findIndex((number, index) => number !== b[index]);
  return place >= 0 && (a[place] ?? 0) < (b[place] ?? 0);
}

function numbers(text: string): number[] {
  const core = /\d+\.\d+\.\d+/.exec(text)?.[0] ?? "0.0.0";
  return core.split(".").map(Number);
}
