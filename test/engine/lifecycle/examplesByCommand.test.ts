import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pulumiEnvironment } from "../../../tools/engines/pulumiDriver";
import { type Ended, startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { variant } from "../../support/campaign";
import { mint, requestsTo, start, tally, testPlatform } from "../../support/engineTest";
import { fastStart } from "../../support/programFolder";

/**
 * Copies an example into a folder of its own, where its `npm run` scripts find the packages that `npm install` would
 * bring.
 */
class ExampleCopy {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "example-")));

  constructor(name: string) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    cpSync(join(projectRoot, "examples", name), this.folder, {
      recursive: true,
      filter: (file) => !/Pulumi\..+\.yaml$/.test(file),
    });
    symlinkSync(join(projectRoot, "node_modules"), join(this.folder, "node_modules"));
  }

  /** Runs a script of the example's package.json. */
  async script(name: string, environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const { VITEST: _, ...inherited } = process.env;
    return startProcess("npm", ["run", "--silent", name], {
      cwd: this.folder,
      env: {
        ...inherited,
        ...(await pulumiEnvironment(this.folder)),
        ...fastStart(),
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        ...environment,
      },
    }).ended;
  }
}

it("the Automation API's example brings each site's stack up to date, and sends nothing where nothing changed", async () => {
  const platform = await testPlatform();
  const example = new ExampleCopy("automationApi");
  const environment = { DOCS_PLATFORM_BASE_URL: platform.baseUrl, DOCS_PLATFORM_API_KEY: platform.apiKey };
  const first = await example.script("deploy", environment);
  expect(first, first.output).toMatchObject({ code: 0 });
  const jobs = platform.jobs.list();
  expect(jobs.map(({ domain }) => domain).toSorted()).toEqual(["docs.example.com", "help.example.com"]);
  const requests = tally(requestsTo(platform));
  expect([requests[start], ...jobs.map(({ jobId }) => requests[mint(jobId)])]).toEqual([2, 1, 1]);
  platform.resetCounts();
  const second = await example.script("deploy", environment);
  expect(second, second.output).toMatchObject({ code: 0 });
  expect(second.output.match(/0 created, 0 updated, 3 unchanged/g)).toHaveLength(2);
  expect(platform.requests).toEqual([]);
});

const inlineProgram = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { StaticExport } = require("pulumi-docs-platform");
const program = async () => ({ version: new StaticExport("site", { domain: "docs.example.com" }).version });
LocalWorkspace.createOrSelectStack({ stackName: "one", projectName: "inline", program }, { workDir: __dirname })
  .then((stack) => stack.up())
  .then(({ outputs }) => console.log("version", outputs.version.value));
`;

variant("an inline program of the Automation API works where its working directory has the package", async () => {
  const platform = await testPlatform();
  const example = new ExampleCopy("automationApi");
  writeFileSync(join(example.folder, "inline.js"), inlineProgram);
  const manifest = JSON.stringify({ private: true, scripts: { inline: "node inline.js" } });
  writeFileSync(join(example.folder, "package.json"), manifest);
  rmSync(join(example.folder, "Pulumi.yaml"));
  const environment = { DOCS_PLATFORM_BASE_URL: platform.baseUrl, DOCS_PLATFORM_API_KEY: platform.apiKey };
  const { code, output } = await example.script("inline", environment);
  expect(code, output).toBe(0);
  expect(output).toContain(`version ${platform.jobs.list()[0]?.jobId}`);
});

it("the example of a stack's own test passes, and leaves no stack behind", async () => {
  const example = new ExampleCopy("stackTest");
  const { code, output } = await example.script("test");
  expect(code, output).toBe(0);
  expect(output).toMatch(/^.*pass 4$/m);
  expect(existsSync(join(example.folder, "Pulumi.test.yaml"))).toBe(false);
});
