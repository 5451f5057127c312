import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Platform } from "../../../simulator/index";
import { pulumiEnvironment } from "../../../tools/engines/pulumiDriver";
import { type EndedProcess, startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { variant } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { anError, mint, requestsTo, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { fastStart } from "../../support/programFolder";

async function exampleStack(platform: Platform, name: string): Promise<EngineStack> {
  const stack = await testStack(platform, {});
  stack.useExample(name);
  return stack;
}

const configured = (settings: Record<string, string>) => [
  "--config-path",
  ...Object.entries(settings).flatMap(([name, value]) => ["--config", `${name}=${value}`]),
];

it("the feature gate refuses in the preview a stack that asks for what its deployment does not offer", async () => {
  const stack = await exampleStack(await testPlatform(), "featureGate");
  const asked = { domain: "docs.example.com", deploymentType: "air-gapped", "features[0]": "aiAssistant" };
  const { output, ...refused } = await stack.preview(...configured(asked));
  expect(refused).toEqual({ code: anError, requests: [] });
  expect(output).toContain("a deployment of type air-gapped does not offer aiAssistant");
});

it("the pinned environments promote by one setting, and production never starts an export", async () => {
  const platform = await testPlatform();
  const stack = await exampleStack(platform, "pinnedEnvironments");
  expect(await stack.up("--stack", "test", ...configured({ revision: "1" }))).toMatchObject({ code: 0 });
  const [{ jobId = "" } = {}] = platform.jobs.list();
  await stack.pulumi("stack", "init", "production", "--no-select");
  const { output, ...unpinned } = await stack.preview("--stack", "production");
  expect(unpinned).toEqual({ code: anError, requests: [] });
  expect(output).toContain("pulumi config set jobId");
  const { code, requests } = await stack.up("--stack", "production", ...configured({ jobId }));
  const links = requests.filter((request) => request.endsWith("/bundle"));
  expect({ code, starts: platform.starts, links }).toEqual({ code: 0, starts: 1, links: [mint(jobId)] });
});

variant(
  "the scheduled renewal uses twice the interval as margin, and shows the longest interval that fits the link's life",
  async () => {
    const stack = await exampleStack(await testPlatform({ linkLife: 41 * 60_000 }), "scheduledRenewal");
    const { code, output } = await stack.up(...configured({ everyMinutes: "10" }));
    expect({ code, warned: output.includes("more than half") }).toEqual({ code: 0, warned: false });
    expect(await stack.outputs()).toMatchObject({ longestInterval: "10m" });
    expect((await stack.state("bundle"))?.inputs).toMatchObject({ renewBefore: "20m" });
  },
);

variant("several sites start an export for each domain, and for one that is added only that one", async () => {
  const platform = await testPlatform();
  const stack = await exampleStack(platform, "severalSites");
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect(platform.starts).toBe(2);
  const domains = ["docs.example.com", "help.example.com", "api.example.com"];
  const second = await stack.up(
    ...configured(Object.fromEntries(domains.map((domain, index) => [`domains[${index}]`, domain]))),
  );
  expect({ code: second.code, starts: platform.starts }).toEqual({ code: 0, starts: 3 });
  expect(second.output).toMatch(/\+ 2 created\s+5 unchanged/);
});

it("a component contains an export and its link, and a run that changes nothing sends nothing", async () => {
  const platform = await testPlatform();
  const stack = await exampleStack(platform, "component");
  const settings = configured({ "domains[0]": "docs.example.com" });
  expect(await stack.preview(...settings)).toMatchObject({ code: 0, requests: [] });
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect(platform.starts).toBe(1);
  const [{ jobId = "" } = {}] = platform.jobs.list();
  expect(await stack.outputs()).toMatchObject({ sites: { "docs.example.com": { version: jobId } } });
  const parent = expect.stringContaining("example:docs:DocsSite::");
  const ours = (await stack.resources()).filter(({ type }) => type.includes("docs-platform"));
  expect(ours).toMatchObject([{ parent }, { parent, dependencies: [ours[0]?.urn] }]);
  expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
});

variant("an agent's follow-up sends its message, and waits for the pull request", async () => {
  const platform = await testPlatform({ agentTime: 200, agentJobs: [{ projectId: "docs", id: "job-1" }] });
  const stack = await exampleStack(platform, "agentFollowUp");
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect(await stack.outputs()).toMatchObject({ status: "completed", pullRequest: expect.stringMatching(/^https:/) });
  expect(platform.agents.get("job-1")?.messages).toEqual(["Mend the broken links of the last build."]);
});

it("the air gap carries a bundle over on a disk, and deploys it inside without a key and without a request", async () => {
  const platform = await testPlatform();
  const stack = await exampleStack(platform, "airGap");
  const disk = join(stack.folder, "disk");
  expect(await stack.up(...configured({ disk }))).toMatchObject({ code: 0 });
  const { version, sha256 } = await stack.outputs();

  const inside = await exampleStack(platform, "airGap/inside");
  inside.environment.DOCS_PLATFORM_API_KEY = undefined;
  inside.environment.DOCS_PLATFORM_BASE_URL = undefined;
  const served = join(inside.folder, "served");
  const settings = { disk, served, version: String(version), sha256: String(sha256) };
  expect(await inside.up(...configured(settings))).toMatchObject({ code: 0, requests: [] });
  const archive = `${version}.tar.gz`;
  const values = { enabled: true, bundleUrl: `https://files.internal/docs/${archive}`, version };
  expect(await inside.outputs()).toEqual({ values: { staticExport: values } });
  expect(readdirSync(served)).toEqual([archive]);

  // The program ignores `<version>.json` on the disk, and deploys an archive only if the archive has the pinned digest.
  const before = readFileSync(join(served, archive));
  writeFileSync(join(disk, `${version}.json`), JSON.stringify({ file: "../../outside.tar.gz" }));
  appendFileSync(join(disk, archive), "one byte more");
  const refused = await inside.up();
  expect(refused).toMatchObject({ code: anError, requests: [] });
  expect(refused.output).toContain("another one is pinned: it is not deployed");
  expect(readdirSync(served)).toEqual([archive]);
  expect(readFileSync(join(served, archive)).equals(before)).toBe(true);
});

/** Runs a script of an example in a copy of the example, with the packages that `npm install` would install. */
async function npmRun(
  example: string,
  script: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<EndedProcess & { folder: string }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "example-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const filter = (file: string) => !/Pulumi\..+\.yaml$/.test(file);
  cpSync(join(projectRoot, "examples", example), folder, { recursive: true, filter });
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  const { VITEST: _, ...inherited } = process.env;
  const ours = { ...(await pulumiEnvironment(folder)), ...fastStart(), PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const env = { ...inherited, ...ours, ...environment };
  return { ...(await startProcess("npm", ["run", "--silent", script], { cwd: folder, env }).ended), folder };
}

it("the Automation API brings each site's stack up to date", async () => {
  const platform = await testPlatform();
  const environment = { DOCS_PLATFORM_BASE_URL: platform.baseUrl, DOCS_PLATFORM_API_KEY: platform.apiKey };
  const { code, output } = await npmRun("automationApi", "deploy", environment);
  expect(code, output).toBe(0);
  const jobs = platform.jobs.list();
  expect(jobs.map(({ domain }) => domain).toSorted()).toEqual(["docs.example.com", "help.example.com"]);
  const requests = tally(requestsTo(platform));
  expect([requests[start], ...jobs.map(({ jobId }) => requests[mint(jobId)])]).toEqual([2, 1, 1]);
});

variant("a stack's own test passes, and leaves no stack behind", async () => {
  const { code, output, folder } = await npmRun("stackTest", "test");
  expect(code, output).toBe(0);
  expect(output).toMatch(/^.*pass 4$/m);
  expect(existsSync(join(folder, "Pulumi.test.yaml"))).toBe(false);
});
