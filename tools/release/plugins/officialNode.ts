import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { runTool } from "../../processes/runTool";
import { nodeBinary } from "./nodeBinary";
import { releasers, type Target, targets } from "./target";

/** An executable of Node.js that must equal the official release. */
export interface Compared {
  readonly target: Pick<Target, "name" | "os" | "node">;
  readonly executable: string;
}

/** The addresses of Node.js releases and of their makers' keys. */
export interface OfficialPlaces {
  /** The address of `v<version>/SHASUMS256.txt.asc`, and of the files in that list. */
  readonly releases: string;
  /** The address of `<fingerprint>.asc`. */
  readonly keys: string;
  /** The trusted fingerprints, wherever the keys come from. */
  readonly releasers: readonly string[];
}

const official: OfficialPlaces = {
  releases: "https://nodejs.org/dist",
  keys: "https://raw.githubusercontent.com/nodejs/release-keys/HEAD/keys",
  releasers,
};

/** Thrown if the server cannot be reached at all. */
export class Unreachable extends Error {}

/**
 * @returns a line for each official executable.
 * @throws Error for the first executable that differs.
 */
export async function compareWithOfficial(all: readonly Compared[], places: OfficialPlaces): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "official-node-"));
  try {
    const lines: string[] = [];
    for (const version of new Set(all.map(({ target }) => target.node.version))) {
      const sums = await signedSums(version, places, folder);
      for (const { target, executable } of all.filter((each) => each.target.node.version === version)) {
        const [ours, theirs] = [sha256(await readFile(executable)), await officialHash(target, sums, places, folder)];
        if (ours !== theirs) {
          throw new Error(
            `${target.name}: the pinned Node.js ${version} has the sha256 ${ours}, the official one ${theirs}`,
          );
        }
        lines.push(`${target.name}: Node.js ${version} is the official one (sha256 ${ours})`);
      }
    }
    return lines;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The sums of a release by file names, from a list that one of the releasers has signed. */
async function signedSums(
  version: string,
  { releases, keys, releasers: trusted }: OfficialPlaces,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const signed = join(folder, "sums.asc");
  await writeFile(signed, await download(`${releases}/v${version}/SHASUMS256.txt.asc`));
  const gpg = (...args: string[]) => runTool("gpg", ["--homedir", folder, "--batch", ...args], { cwd: folder });
  for (const fingerprint of trusted) {
    const file = join(folder, `${fingerprint}.asc`);
    await writeFile(file, await download(`${keys}/${fingerprint}.asc`));
    await gpg("--import", file);
  }
  const verified = await gpg("--status-fd", "1", "--output", "sums.txt", "--decrypt", signed);
  const [, signer = ""] = /^\[GNUPG:\] VALIDSIG .* ([0-9A-F]{40})$/m.exec(verified.stdout) ?? [];
  if (!verified.ok || !trusted.includes(signer)) {
    throw new Error(`none of the ${trusted.length} pinned releasers has signed the sums of Node.js ${version}`);
  }
  const lines = (await readFile(join(folder, "sums.txt"), "utf8")).matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm);
  return new Map([...lines].map(([, sum = "", name = ""]) => [name, sum]));
}

/** For Windows the list has the sum of the executable itself, for other systems the sum of its archive. */
async function officialHash(
  { os, node: { package: name, version } }: Compared["target"],
  sums: ReadonlyMap<string, string>,
  { releases }: OfficialPlaces,
  folder: string,
): Promise<string> {
  const arch = name.endsWith("arm64") ? "arm64" : "x64";
  const release = `node-v${version}-${os}-${arch}`;
  const file = os === "windows" ? `win-${arch}/node.exe` : `${release}.tar.gz`;
  const sum = sums.get(file);
  if (sum === undefined) {
    throw new Error(`the sums of Node.js ${version} do not name ${file}`);
  }
  if (os === "windows") {
    return sum;
  }
  const content = await download(`${releases}/v${version}/${file}`);
  if (sha256(content) !== sum) {
    throw new Error(`${file} has not the sha256 that is signed for it`);
  }
  await writeFile(join(folder, basename(file)), content);
  const unpacked = await runTool("tar", ["-xzf", basename(file), `${release}/bin/node`], { cwd: folder });
  if (!unpacked.ok) {
    throw new Error(`tar: ${unpacked.problem}`);
  }
  return sha256(await readFile(join(folder, release, "bin", "node")));
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new Unreachable(`${new URL(url).host} cannot be reached`, { cause: error });
  });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status}`);
  }
  return Buffer.from(await response.arrayBuffer());
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * `npm run release:node`: without a network it prints that it skips the comparison. With `CI=true` that is a failure.
 */
async function main(): Promise<void> {
  const all: Compared[] = [];
  for (const target of targets) {
    all.push({ target, executable: (await nodeBinary(target)).executable });
  }
  try {
    console.log((await compareWithOfficial(all, official)).join("\n"));
  } catch (error) {
    const isSkipped = error instanceof Unreachable && process.env.CI !== "true";
    console.error(`${isSkipped ? "skipped: " : ""}${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = isSkipped ? 0 : 1;
  }
}

if (require.main === module) {
  void main();
}
