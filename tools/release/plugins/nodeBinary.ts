import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { runTool } from "../../processes/runTool";
import { findOrBuild } from "../../toolchain/findOrBuild";
import type { Target } from "./target";

/** Node.js for a target, in the user's cache. */
export interface NodeBinary {
  readonly executable: string;
  /** The path of the licence's file. The npm packages for Windows lack this file. */
  readonly licence: string;
}

const downloadLimit = 10 * 60_000;
const wanted = new Map([
  ["bin/node", "node"],
  ["bin/node.exe", "node"],
  ["LICENSE", "LICENSE"],
]);

/**
 * Downloads Node.js for a target, once for each user. As a development dependency, Node.js would add about 50 MB for
 * each target to every `npm ci`.
 * @throws ToolNotMade, also if the registry's file differs from the pinned one.
 */
export async function nodeBinary(target: Target): Promise<NodeBinary> {
  const { package: name, version } = target.node;
  const files = (folder: string) => ({ executable: join(folder, "node"), licence: join(folder, "LICENSE") });
  const folder = await findOrBuild([
    {
      keptName: `${name}-${version}`,
      doing: `fetching Node.js ${version} for ${target.name} (some 50 MB)`,
      async problemOf(kept) {
        const { executable } = files(kept);
        return existsSync(executable) ? "" : `there is no ${executable}`;
      },
      make: (made, work, signal) => download(target, made, work, signal),
    },
  ]);
  return files(folder);
}

async function download({ node }: Target, made: string, work: string, signal: AbortSignal): Promise<string> {
  const packed = await runTool("npm", ["pack", "--silent", "--ignore-scripts", `${node.package}@${node.version}`], {
    cwd: work,
    timeLimit: downloadLimit,
    signal,
  });
  if (!packed.ok) {
    return `npm pack: ${packed.problem}`;
  }
  const tarball = join(work, `${node.package}-${node.version}.tgz`);
  const integrity = `sha512-${createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64")}`;
  if (integrity !== node.integrity) {
    return `the registry hands out ${integrity}, and ${node.integrity} is pinned`;
  }
  const entries = createReadStream(tarball).pipe(createGunzip()).pipe(extract());
  for await (const entry of entries) {
    const name = wanted.get(entry.header.name.replace(/^[^/]+\//, ""));
    if (name === undefined) {
      entry.resume();
    } else {
      await pipeline(entry, createWriteStream(join(made, name), { mode: 0o755 }));
    }
  }
  return "";
}
