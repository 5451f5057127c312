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
  executable: string;
  /** These variables select the right Node.js, and a cache of compiled code, which makes the provider start faster. */
  environment: NodeJS.ProcessEnv;
}

let node: ReturnType<typeof nodeBinary>;

// The cache of downloads is in the user's home folder, so this hook runs before a test sets another home folder.
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
    // If another test file has built the provider meanwhile, the rename fails, and this file uses that build too.
    await rename(unfinished, folder).catch(() => {});
  }
  const PATH = `${dirname(executable)}${delimiter}${process.env.PATH}`;
  return {
    folder,
    executable: join(folder, terraformProvider.executable(version)),
    environment: { PATH, NODE_COMPILE_CACHE: `${folder}-compiled` },
  };
}
