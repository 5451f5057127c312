import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { pulumiEnvironment } from "../../tools/engines/pulumiDriver";
import { executablesOnPath } from "../../tools/processes/executables";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { folderOfFile } from "../support/temporaryFolder";
import { documents, readDocument } from "./documents";
import { pageNeeds } from "./pageNeeds";
import { pageScript, promisedOutputs, type Replacements, runScript } from "./pageRun";

const folder = folderOfFile();
const shells = ["bash", "zsh"].filter((name) => executablesOnPath(name).length > 0);

const pagesOf = (kind: string) => Object.keys(pageNeeds).filter((page) => pageNeeds[page]?.kind === kind);

/** The environment of a new user's shell. */
async function shellOf(folder: string): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS: _, VITEST: __, ...inherited } = process.env;
  mkdirSync(folder, { recursive: true });
  return { ...inherited, ...(await pulumiEnvironment(folder)) };
}

function cloneInto(clone: string): void {
  execFileSync("git", ["clone", "--quiet", projectRoot, clone]);
}

async function succeeds(page: string, shell: string, script: string, cwd: string, user: string): Promise<void> {
  const { code, stdout, stderr } = await runScript(shell, script, cwd, await shellOf(user));
  const said = code === 0 ? "" : stdout.slice(-4_000) + stderr.slice(-4_000);
  expect({ code, said }).toEqual({ code: 0, said: "" });
  const promised = promisedOutputs(readFileSync(join(projectRoot, page), "utf8"));
  expect(promised.filter((text) => !`${stdout}${stderr}`.includes(text))).toEqual([]);
}

it("each page with shell blocks says what its commands need", () => {
  const withBlocks = documents.filter((page) => readDocument(page).blocks.some(({ language }) => language === "sh"));
  expect(Object.keys(pageNeeds).toSorted()).toEqual(withBlocks.toSorted());
});

it.each(Object.keys(pageNeeds).filter((page) => /^(docs\/guides|charts\/[^/]+|examples\/[^/]+)\//.test(page)))(
  "a guide says what the reader should then see: %s",
  (page) => {
    expect(readFileSync(join(projectRoot, page), "utf8")).toMatch(/You should now see/);
  },
);

it("the outputs that a page promises are the code in its sentences about them", () => {
  expect(promisedOutputs("Run `a`. You should now see `b.c`, and\n`d`. Then `e`.")).toEqual(["b.c", "d"]);
});

describe.runIf(campaign)("the pages from top to bottom, in a new shell", () => {
  /** Returns the values that the reader fills in: the platform's address, and the key in a file. */
  async function settings(): Promise<Replacements> {
    const { baseUrl, apiKey } = await testPlatform({ jobTime: 1_000 });
    const setting = "export DOCS_PLATFORM_API_KEY_FILE=$PWD/key";
    return { "https://api.example.com": baseUrl, [setting]: `printf %s '${apiKey}' > key\n${setting}` };
  }

  describe.each(shells)("in %s", (shell) => {
    const clone = join(folder, shell, "clone");

    beforeAll(() => {
      cloneInto(clone);
      symlinkSync(join(projectRoot, "node_modules"), join(clone, "node_modules"));
    });

    it.each(pagesOf("clone"))(
      "in a clone of the last commit: %s",
      async (page) => {
        const place = join(folder, shell, page.replace(/\W/g, "-"));
        cloneInto(join(place, "clone"));
        const script = pageScript(page, page === "README.md" ? {} : await settings());
        await succeeds(page, shell, script, join(place, "clone"), join(place, "user"));
      },
      20 * 60_000,
    );

    it.each(pagesOf("example"))(
      "in the shell of all examples: %s",
      async (page) => {
        const needs = pageNeeds[page];
        const { baseUrl, apiKey } = await testPlatform({
          jobTime: 500,
          agentTime: 500,
          agentJobs: [{ projectId: "docs", id: "job-1" }],
        });
        const user = join(folder, shell, page.replace(/\W/g, "-"));
        const [, prepared] = readDocument("examples/README.md").blocks;
        const preparation = prepared?.text
          .replace("http://127.0.0.1:8080", baseUrl)
          .replace("svc_example", apiKey)
          .replace("file://~", `file://${user}/backend`);
        const place = needs?.kind === "example" ? needs.folder : "";
        await succeeds(page, shell, [preparation, `cd '${place}'`, pageScript(page)].join("\n"), clone, user);
      },
      10 * 60_000,
    );
  });
});
