import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { makeReleaseArchive, terraformProvider, version } from "../../tools/release/plugins/release";
import { ownTarget } from "../../tools/release/plugins/target";
import { getTool } from "../../tools/toolchain/getTool";
import { readDocument } from "../docs/documents";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { startTokenAuthRegistry, user } from "../support/mirror/tokenAuthRegistry";
import { temporaryFolder } from "../support/temporaryFolder";
import { hclSiteAndBundle } from "../support/terraformStack";

it.runIf(campaign && process.platform === "linux")(
  "OpenTofu installs the provider from a company's registry, put there by the commands of the page",
  async () => {
    const [platform, registry] = [await testPlatform({ jobTime: 0 }), await startTokenAuthRegistry()];
    try {
      const folder = temporaryFolder();
      const write = (name: string, content: string) => {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      };
      const host = `127.0.0.1:${registry.port}`;
      const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
      write("home/.docker/config.json", JSON.stringify({ auths: { [host]: { auth } } }));
      write(
        "project/main.tf",
        `terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}
${hclSiteAndBundle}`,
      );
      const archive = await makeReleaseArchive(terraformProvider, ownTarget());
      write("transfer/docs.tfrc", "");
      copyFileSync(archive, join(folder, "transfer", basename(archive)));
      const environment = {
        PATH: `${dirname(await getTool("oras"))}:${process.env.PATH}`,
        HOME: join(folder, "home"),
        SSL_CERT_FILE: registry.caFile,
        TF_CLI_CONFIG_FILE: join(folder, "transfer/docs.tfrc"),
        DOCS_PLATFORM_API_KEY: platform.apiKey,
        DOCS_PLATFORM_BASE_URL: platform.baseUrl,
        transfer: join(folder, "transfer"),
      };
      const run = async (file: string, ...args: string[]) => {
        const { stdout } = await promisify(execFile)(file, args, { cwd: join(folder, "project"), env: environment });
        return stdout;
      };
      const { blocks } = readDocument("docs/guides/air-gap.md");
      const commands = blocks.find(({ text }) => text.includes("vnd.opentofu.provider-target"))?.text ?? "";
      const { arch } = ownTarget();
      const here = commands
        .replaceAll("registry.example.com", host)
        .replaceAll("linux_amd64", `linux_${arch}`)
        .replaceAll("linux/amd64", `linux/${arch}`);
      await run("bash", "-euo", "pipefail", "-c", here);
      const tofu = await getTool("tofu");
      expect(await run(tofu, "init", "-no-color")).toContain(`Installed pulumi-docs-platform/docsplatform v${version}`);
      await run(tofu, "apply", "-auto-approve", "-no-color");
      expect(await run(tofu, "plan", "-detailed-exitcode", "-no-color")).toContain("No changes");
      await run(tofu, "destroy", "-auto-approve", "-no-color");
      expect(platform.starts).toBe(1);
    } finally {
      await registry.close();
    }
  },
  20 * 60_000,
);
