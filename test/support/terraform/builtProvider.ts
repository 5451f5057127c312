import { existsSync, mkdtempSync } from "node:fs";
import { rename } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, inject } from "vitest";
import { nodeBinary } from "../../../tools/release/plugins/nodeBinary";
import { terraformProvider } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { bundleProvider } from "../../../tools/release/terraform/bundle";

const version = "0.0.0";

interface Built {
  folder: string;
  /** The file that Terraform starts. */
  executable: string;
  /**
   * With these variables, the provider runs on the Node.js of a release, and caches its compiled code. The cache saves
   * time, because one command starts the provider up to five times.
   */
  environment: NodeJS.ProcessEnv;
}

let node: ReturnType<typeof nodeBinary>;

// This hook must run before a test sets another home folder, because the cache of downloads is in the user's own home
// folder. The time limit of the hook is long enough to download Node.js and one more tool.
beforeAll(async () => {
  node = nodeBinary(ownTarget());
  await node;
}, 20 * 60_000);

/** Returns the provider, which all test files of a run share. The first file that needs the provider builds it. */
export async function builtProvider(): Promise<Built> {
  const folder = join(inject("runFolder"), "terraform-provider");
  const { executable } = await node;
  if (!existsSync(folder)) {
    const unfinished = mkdtempSync(`${folder}-`);
    await bundleProvider(unfinished, version);
    // If another test file has built the provider meanwhile, the rename fails, and both test files use the build of the
    // other test file.
    await rename(unfinished, folder).catch(() => {});
  }
  const PATH = `${dirname(executable)}${delimiter}${process.env.PATH}`;
  return {
    folder,
    executable: join(folder, terraformProvider.executable(version)),
    environment: { PATH, NODE_COMPILE_CACHE: `${folder}-compiled` },
  };
}
