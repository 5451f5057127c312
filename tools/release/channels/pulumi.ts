import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { pulumiEnvironment } from "../../engines/pulumiDriver";
import { getTool } from "../../toolchain/getTool";
import { version } from "../plugins/release";
import type { Channel } from "./channel";
import { servePluginPage } from "./pluginPage";
import type { Rehearsal } from "./rehearsal";
import { changeByte, mustFail, mustSucceed } from "./steps";

export const pulumi: Channel = {
  name: "Pulumi's plugin",
  async rehearse(rehearsal) {
    const { url, archive, environment } = await servePluginPage(rehearsal, "pulumi/page");
    const cwd = rehearsal.folder("pulumi/project");
    const env = { ...(await pulumiEnvironment(rehearsal.folder("pulumi/home"))), ...environment };
    const install = (wanted: string, ...flags: string[]) => [
      ...["pulumi", "plugin", "install", "resource", "docs-platform", wanted, "--server", url],
      ...flags,
    ];
    const released = `v${version}`;
    const checked = install(released, "--checksum", await checksumOf(archive, rehearsal));
    const stranger = { cwd, env: { ...env, SSL_CERT_FILE: undefined } };
    const refused = [
      await mustFail("a page of an unknown authority", /unknown authority/, install(released), stranger),
      await mustFail("a version that is not there", /404 HTTP error/, install("v9.9.9"), { cwd, env }),
    ];
    const right = readFileSync(archive);
    changeByte(archive);
    refused.push(await mustFail("an archive with one byte changed", /invalid checksum/, checked, { cwd, env }));
    writeFileSync(archive, right);
    await mustSucceed(checked, { cwd, env });
    await addPackage(cwd, env);
    const [plugin] = JSON.parse(await mustSucceed(["pulumi", "plugin", "ls", "--json"], { cwd, env }));
    const engine = await mustSucceed(["pulumi", "version"], { cwd, env });
    return [{ client: `pulumi ${engine.trim()}`, version: plugin.version, refused }];
  },
};

async function checksumOf(archive: string, rehearsal: Rehearsal): Promise<string> {
  const sums = readFileSync(join(await rehearsal.release, "SHA256SUMS"), "utf8");
  return (
    sums
      .split("\n")
      .find((line) => line.endsWith(`  ${basename(archive)}`))
      ?.split(" ")[0] ?? ""
  );
}

/** Adds the package to a Java project. Of the language hosts that the project builds, only Java's generates an SDK. */
async function addPackage(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: docs\nruntime: java\n");
  const project = "<groupId>com.example</groupId><artifactId>docs</artifactId><version>1.0</version>";
  writeFileSync(join(cwd, "pom.xml"), `<project><modelVersion>4.0.0</modelVersion>${project}</project>`);
  const host = dirname(await getTool("pulumi-language-java"));
  const added = { ...env, PATH: `${host}${delimiter}${env.PATH}` };
  await mustSucceed(["pulumi", "package", "add", "docs-platform"], { cwd, env: added });
  const files = readdirSync(join(cwd, "sdks"), { recursive: true, encoding: "utf8" });
  if (!files.some((file) => basename(file) === "StaticExport.java")) {
    throw new Error(`\`pulumi package add\` has not written the SDK, but ${files.join(", ")}`);
  }
}
