import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pulumiEnvironment } from "../../tools/engines/pulumiDriver";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { folderOfFile } from "../support/temporaryFolder";
import { type Replacements, runPage } from "./pageRun";

const folder = folderOfFile();

/** The environment of a reader's shell, without the settings that the reader gives by hand. */
async function shellOf(folder: string): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS: _, VITEST: __, ...inherited } = process.env;
  mkdirSync(folder, { recursive: true });
  return { ...inherited, ...(await pulumiEnvironment(folder)) };
}

describe.runIf(campaign)("the pages from top to bottom, in a clone of the last commit", () => {
  async function read(page: string, replacements: Replacements): Promise<void> {
    const clone = join(folder, page.replace(/\W/g, "-"), "clone");
    execFileSync("git", ["clone", "--quiet", projectRoot, clone]);
    const environment = await shellOf(join(clone, "..", "user"));
    const { code, stdout, stderr } = await runPage(page, clone, environment, replacements);
    expect({ code, said: code === 0 ? "" : stdout.slice(-4_000) + stderr.slice(-4_000) }).toEqual({
      code: 0,
      said: "",
    });
  }

  /** The settings that a reader gives by hand: the platform's address, and the key. */
  async function settings(): Promise<Replacements> {
    const { baseUrl, apiKey } = await testPlatform({ jobTime: 1_000 });
    return {
      "https://api.example.com": baseUrl,
      "read -rs DOCS_PLATFORM_API_KEY && export DOCS_PLATFORM_API_KEY": `export DOCS_PLATFORM_API_KEY=${apiKey}`,
    };
  }

  it("README.md", () => read("README.md", {}), 20 * 60_000);

  it("docs/getting-started.md", async () => read("docs/getting-started.md", await settings()), 20 * 60_000);

  it("docs/terraform.md", async () => read("docs/terraform.md", await settings()), 20 * 60_000);
});
