import { readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { executablesOnPath } from "../../../tools/processes/executables";
import { startProcess } from "../../../tools/processes/startProcess";
import { nodeBinary } from "../../../tools/release/plugins/nodeBinary";
import { ownTarget } from "../../../tools/release/plugins/target";
import { bundleProvider } from "../../../tools/release/terraform/bundle";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { requestsTo, start, tally } from "../../support/engineTest";
import { temporaryFolder } from "../../support/temporaryFolder";
import { engines } from "../../support/terraform/engines";
import { terraformPlatform } from "../../support/terraformStack";

const buildTime = 30 * 60_000;
/** Both versions have the same code, because no version is released yet. */
const versions = { before: "0.0.1", after: "0.1.0" };

/** The number of starts in each test: one for each created or replaced export. */
const startsOf = { Lifecycle: 2, Mirror: 3, Message: 0, Upgrade: 1 };

describe.skipIf(!campaign)("terraform-plugin-testing passes on the built provider", () => {
  beforeAll(() => getTool("acceptance-test"), buildTime);

  it.each(engines)(
    "on %s: apply, empty plans, imports, replacements, an upgrade, and nothing is left",
    async (_, command) => {
      const folder = temporaryFolder();
      const { os, arch } = ownTarget();
      const mirror = join(folder, "mirror");
      for (const version of Object.values(versions)) {
        await bundleProvider(join(mirror, "example.com", "docs", "docsplatform", version, `${os}_${arch}`), version);
      }
      const TF_CLI_CONFIG_FILE = join(folder, "terraform.rc");
      writeFileSync(
        TF_CLI_CONFIG_FILE,
        `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`,
      );
      const platform = await terraformPlatform({ jobTime: 0, agentJobs: [{ projectId: "docs", id: "job" }] });
      const [terraform = await command()] = executablesOnPath(await command());
      const { executable: node } = await nodeBinary(ownTarget());
      const environment = {
        CHECKPOINT_DISABLE: "1",
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
        HOME: folder,
        TMPDIR: folder,
        TF_ACC: "1",
        TF_ACC_TERRAFORM_PATH: terraform,
        TF_CLI_CONFIG_FILE,
        DOCS_PLATFORM_BASE_URL: platform.baseUrl,
        DOCS_PLATFORM_API_KEY: platform.apiKey,
        DOCS_PLATFORM_PROJECT_ID: "docs",
        ACCEPTANCE_AGENT_JOB: "job",
        ACCEPTANCE_BEFORE: versions.before,
        ACCEPTANCE_AFTER: versions.after,
      };
      const env = { ...process.env, ...environment };
      const { code, output } = await startProcess(await getTool("acceptance-test"), ["-test.v"], { cwd: folder, env })
        .ended;
      expect(code, output).toBe(0);
      const passed = Object.keys(startsOf).filter((test) => output.includes(`--- PASS: ${test} `));
      expect(passed).toEqual(Object.keys(startsOf));
      const starts = passed
        .map((test) => startsOf[test as keyof typeof startsOf])
        .reduce((sum, count) => sum + count, 0);
      expect(readdirSync(folder).filter((name) => name.startsWith("plugin"))).toEqual([]);
      expect(tally(requestsTo(platform))).toMatchObject({
        [start]: starts,
        "POST /agent/docs/job/job/message": 2,
      });
    },
    buildTime,
  );
});
