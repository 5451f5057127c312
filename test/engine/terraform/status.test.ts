import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { signatureMark } from "../../support/leaks";
import { requireTool } from "../../support/requireTool";
import { runStatus } from "../../support/runStatus";
import {
  executableOf,
  exportOf,
  hclSiteAndBundle,
  killTerraform,
  siteAddress,
  TerraformStack,
  terraformPlatform,
} from "../../support/terraformStack";
import { until } from "../../support/until";

const hour = 3_600_000;
const flags = ["--terraform", "--json"];

describe
  .skipIf(!requireTool("terraform"))
  .concurrent("status of Terraform, which sends nothing and shows no link,", () => {
    it("shows a link that is good, due and expired, by what the provider keeps beside the state", async () => {
      const platform = await terraformPlatform({ linkLife: hour });
      const stack = await TerraformStack.create(platform, hclSiteAndBundle);
      await stack.expectApply(0);
      const sent = platform.requests.length;
      const condition = async (ahead: number) => {
        const { code, output, stdout } = await runStatus(stack, { flags, ahead });
        expect(output).not.toMatch(signatureMark);
        const { resources, interrupted } = JSON.parse(stdout);
        expect(interrupted).toEqual([]);
        const link = resources.find(({ type }: { type: string }) => type === "ExportBundle");
        return [code, link.resource, link.link];
      };
      const name = "docsplatform_export_bundle.bundle";
      expect(await condition(0)).toEqual([0, name, "good"]);
      expect(await condition(hour - 5 * 60_000)).toEqual([0, name, "due"]);
      expect(await condition(hour)).toEqual([1, name, "expired"]);
      const executable = executableOf(stack);
      expect(await runStatus(stack, { executable, ahead: hour })).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/Next: `terraform apply`\n$/),
      });
      expect(platform.requests).toHaveLength(sent);
    });

    it("is read through a wrapper of a pipeline, which prints lines of its own around what Terraform prints", async () => {
      const platform = await terraformPlatform();
      const stack = await TerraformStack.create(platform, hclSiteAndBundle);
      const empty = await runStatus(stack, { flags });
      expect([empty.code, JSON.parse(empty.stdout)]).toMatchObject([1, { healthy: false, resources: [] }]);
      await stack.expectApply(0);
      const folder = join(stack.folder, "wrapper");
      mkdirSync(folder);
      const { PATH = "" } = { ...process.env, ...stack.environment };
      // The wrapper of the GitHub action `setup-terraform` prints such lines.
      const lines = [
        "#!/bin/sh",
        `PATH='${PATH}'`,
        'echo "[command]/opt/terraform/terraform-bin $*"',
        'terraform "$@"; code=$?',
        "printf '\\n::debug::Terraform exited with code %s.\\n::set-output name=stdout::{\\n' $code",
        "exit $code",
      ];
      writeFileSync(join(folder, "terraform"), lines.join("\n"), { mode: 0o700 });
      const environment = { ...stack.environment, PATH: `${folder}${delimiter}${PATH}` };
      const wrapped = await runStatus({ folder: stack.folder, environment }, { flags });
      const { healthy, resources } = JSON.parse(wrapped.stdout);
      expect([wrapped.code, healthy, resources.length], wrapped.output).toEqual([0, true, 2]);
    });

    it("shows a wait that was interrupted, and the job that failed after it", async () => {
      const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
      const stack = await TerraformStack.create(platform, exportOf('  wait_timeout = "4s"\n'));
      await stack.expectApply(0);
      const [job] = platform.jobs.list();
      const waiting = await runStatus(stack, { flags });
      const wait = { what: `${siteAddress}: wait`, id: job?.jobId };
      expect([waiting.code, JSON.parse(waiting.stdout).interrupted]).toMatchObject([1, [wait]]);
      platform.jobs.fail(String(job?.jobId), "out of memory");
      stack.write(exportOf('  wait_timeout = "1m"\n'));
      await stack.expectApply(1);
      const failed = await runStatus(stack, { flags });
      expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([
        1,
        { resources: [{ resource: siteAddress, status: "failed" }], interrupted: [] },
      ]);
    });

    it("shows a start whose run was killed, but none that is at work", async () => {
      const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
      const stack = await TerraformStack.create(platform, exportOf());
      const run = stack.start("apply", "-auto-approve");
      await until(() => platform.counts.getExport > 0);
      expect((await runStatus(stack, { flags })).code).toBe(0);
      await killTerraform({ run, stack });
      const { code, stdout } = await runStatus(stack, { flags });
      const start = { what: "docsplatform_static_export: start", id: platform.jobs.list()[0]?.jobId };
      expect([code, JSON.parse(stdout).interrupted]).toMatchObject([1, [start]]);
    });
  });
