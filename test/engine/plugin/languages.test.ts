import { cpSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../../tools/projectRoot";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { writeProject, yaml } from "./hosts";
import { type Language, languages } from "./languages";
import { lifecycleOn } from "./suite";

/** LANGUAGES selects some of these languages, because the tools of a language take minutes to build. */
const wanted = process.env.LANGUAGES?.split(",") ?? Object.keys(languages);
const hosts = Object.entries<Language>(languages).filter(([name]) => wanted.includes(name));

const exampleFile = (name: string) => join(projectRoot, "examples", "languages", name);

async function runExample(prepare: (stack: EngineStack) => Promise<void>): Promise<void> {
  const stack = await testStack(await testPlatform(), {});
  await prepare(stack);
  // In the preview of this run, the link is unknown.
  const { code, output, requests } = await stack.pulumi("up", "--yes");
  expect(code, output).toBe(0);
  const { jobId, version, bundleUrl, values } = await stack.outputs();
  expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
  expect({ version, bundleUrl }).toEqual({ version: jobId, bundleUrl: expect.stringMatching(/^http:/) });
  expect(values).toEqual({ staticExport: { enabled: true, bundleUrl, version } });
  // The program does not set `renewBefore`, so no warning may mention this input.
  expect(output).not.toContain("renewBefore");
  expect(output + readFileSync(stack.stateFile, "utf8")).not.toContain("X-Amz-Signature");
}

describe("the example of a language, with the Helm values of its bundle, runs:", () => {
  it("YAML", () =>
    runExample(async (stack) => {
      await yaml.prepare(stack);
      const { resources, variables, outputs } = parse(readFileSync(exampleFile("yaml/Pulumi.yaml"), "utf8"));
      writeProject(stack, "yaml", { resources, variables, outputs });
    }));

  const inLanguage = (host: Language) =>
    runExample(async (stack) => {
      await host.prepare(stack);
      cpSync(exampleFile(host.example), join(stack.folder, basename(host.example)));
    });

  it.skipIf(!requireTool("python3"))("Python, with python3", () => inLanguage(languages.python));

  it.each(hosts.filter(([name]) => campaign && name !== "python"))("%s", (_, host) => inLanguage(host), 1_200_000);
});

describe.skipIf(!campaign)("the languages with a generated SDK", () => {
  for (const [, host] of hosts) {
    lifecycleOn(host);
  }
});
