import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../../processes/runTool";
import type { Bundle } from "./bundle";
import { signedAdHoc } from "./machO";
import { nodeBinary } from "./nodeBinary";
import { executableName, ownTarget, type Target } from "./target";
import { withoutCertificate } from "./windowsCertificate";

export interface Executable {
  readonly file: string;
  /** The licence of Node.js, which is a part of the executable. */
  readonly nodeLicence: string;
}

export const flagsOfExecutables: readonly string[] = [
  // The memory for new objects, in megabytes. Most processes end before it is full, so they collect no garbage.
  "--min-semi-space-size=16",
  // Without this flag, loading `node:tls` reads all certificate authorities. This takes a sixth of the start time.
  "--use-openssl-ca",
  // Without this flag, Node.js refuses to start if NODE_USE_SYSTEM_CA=1 requests other authorities.
  "--no-use-system-ca",
];

const buildLimit = 10 * 60_000;

/** For each system, the change that an executable needs after the program was added to it. */
const finishing: Record<string, (content: Buffer, name: string) => Buffer> = {
  darwin: signedAdHoc,
  windows: withoutCertificate,
};

/** Builds a reproducible executable for any target, on any machine. `folder` also gets the intermediate files. */
export async function buildExecutable(
  bundle: Bundle,
  target: Target,
  folder: string,
  name: string,
  signal?: AbortSignal,
): Promise<Executable> {
  const [own, node] = [await nodeBinary(ownTarget()), await nodeBinary(target)];
  const file = executableName(name, target);
  await writeFile(join(folder, "main.js"), bundle.main);
  await writeFile(join(folder, "libraries.js"), bundle.libraries);
  await copyFile(node.executable, join(folder, "node"));
  await writeFile(join(folder, "sea.json"), JSON.stringify(configuration(file, target)));
  // The seed is fixed, because with random seeds the code caches of two builds would differ.
  const built = await runTool(own.executable, ["--random-seed=1", "--build-sea", "sea.json"], {
    cwd: folder,
    timeLimit: buildLimit,
    ...(signal && { signal }),
  });
  if (!built.ok) {
    throw new Error(`${target.name}: node --build-sea: ${built.problem}`);
  }
  const finished = join(folder, file);
  const finish = finishing[target.os];
  if (finish !== undefined) {
    await writeFile(finished, finish(await readFile(finished), name));
  }
  await chmod(finished, 0o755);
  return { file: finished, nodeLicence: await readFile(own.licence, "utf8") };
}

function configuration(output: string, target: Target): object {
  return {
    main: "main.js",
    output,
    executable: "node",
    assets: { "libraries.js": "libraries.js" },
    disableExperimentalSEAWarning: true,
    // A code cache can only be made on a machine of the same target.
    useCodeCache: target === ownTarget(),
    execArgv: flagsOfExecutables,
    // NODE_OPTIONS is for the user's program, and must not change this runtime.
    execArgvExtension: "none",
  };
}
