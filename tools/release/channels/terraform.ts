import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { executablesOnPath } from "../../processes/executables";
import type { RunOptions } from "../../processes/runTool";
import { projectRoot } from "../../projectRoot";
import { getTool } from "../../toolchain/getTool";
import { OpenPgpKey } from "../openPgpKey";
import { terraformProvider, version } from "../plugins/release";
import { checksums } from "../plugins/releaseArchives";
import { ownTarget } from "../plugins/target";
import type { Channel, Installation } from "./channel";
import { type ProviderRelease, publishProvider } from "./providerRelease";
import type { Rehearsal } from "./rehearsal";
import { changeByte, mustFail, mustSucceed } from "./steps";
import { serveTerraformRegistry } from "./terraformRegistry";

const archive = terraformProvider.archive(version, ownTarget());
const sums = `terraform-provider-docsplatform_${version}_SHA256SUMS`;

export const terraform: Channel = {
  name: "Terraform's and OpenTofu's registries",
  async rehearse(rehearsal) {
    const release = await publishProvider(rehearsal, "provider");
    const registry = await serveTerraformRegistry(rehearsal, release);
    const [wrong, replaced] = await wrongReleases(rehearsal, release);
    const newest = await getTool("terraform");
    const installations: Installation[] = [];
    for (const engine of [...executablesOnPath("terraform"), newest, await getTool("tofu")]) {
      registry.release = release;
      const machine = machines(rehearsal, registry.source, `engine-${installations.length}`);
      const first = machine("first");
      await installAndApply(engine, rehearsal, first);
      if (engine === newest) {
        await validatePages(release.content, await mustSucceed([engine, "providers", "schema", "-json"], first));
      }
      const lock = join(first.cwd, ".terraform.lock.hcl");
      const locked = [engine, "init", "-lockfile=readonly"];
      await mustSucceed(locked, machine("second", lock));
      const refused: string[] = [];
      for (const [what, words, spoiled] of wrong) {
        registry.release = spoiled;
        refused.push(await mustFail(what, words, [engine, "init"], machine(what)));
      }
      registry.release = replaced;
      const notLocked = /previously recorded in the dependency lock file/;
      refused.push(await mustFail("another archive of a locked version", notLocked, locked, machine("third", lock)));
      const said = JSON.parse(await mustSucceed([engine, "version", "-json"], first));
      const [installed = "none"] = Object.values<string>(said.provider_selections);
      const name = engine.includes("tofu") ? "tofu" : "terraform";
      installations.push({ client: `${name} ${said.terraform_version}`, version: installed, refused });
    }
    return installations;
  },
};

/** The returned function prepares a new machine, and returns the options for commands on it. `lock`: a lock file. */
function machines(rehearsal: Rehearsal, source: string, engine: string): (name: string, lock?: string) => RunOptions {
  const example = readFileSync(join(projectRoot, "examples", "terraform", "quickstart", "main.tf"), "utf8");
  return (name, lock) => {
    const cwd = rehearsal.folder(`${engine}/${name}`);
    const configuration = join(cwd, "terraform.rc");
    writeFileSync(join(cwd, "main.tf"), example.replace('"pulumi-docs-platform/docsplatform"', `"${source}"`));
    writeFileSync(configuration, "");
    if (lock !== undefined) {
      cpSync(lock, join(cwd, basename(lock)));
    }
    const own = { HOME: cwd, TF_CLI_CONFIG_FILE: configuration, TF_PLUGIN_CACHE_DIR: undefined };
    const settings = { ...rehearsal.settings, SSL_CERT_FILE: rehearsal.certificate };
    return { cwd, env: { ...own, ...settings, CHECKPOINT_DISABLE: "1", TF_CLI_ARGS_init: "-no-color" } };
  };
}

async function installAndApply(engine: string, { platform }: Rehearsal, machine: RunOptions): Promise<void> {
  platform.resetCounts();
  await mustSucceed([engine, "init"], machine);
  await mustSucceed([engine, "apply", "-no-color", "-auto-approve"], machine);
  if (platform.starts !== 1) {
    throw new Error(`the provider started ${platform.starts} exports, and not one`);
  }
}

/** Checks the provider's pages with the tool of Terraform's registry. `schemas` is JSON that Terraform has printed. */
async function validatePages(content: string, schemas: string): Promise<void> {
  const { provider_schemas: found, ...others } = JSON.parse(schemas);
  // In these schemas, the provider has the name that the tool looks for.
  const named = { ...others, provider_schemas: { docsplatform: Object.values(found)[0] } };
  const file = `${content}-schema.json`;
  writeFileSync(file, JSON.stringify(named));
  const flags = ["--provider-dir", content, "--provider-name", "docsplatform", "--providers-schema", file];
  await mustSucceed([await getTool("tfplugindocs"), "validate", ...flags], { cwd: content });
}

/** The releases that must not be installed, each with the expected text of the error. */
type Wrong = readonly (readonly [what: string, words: RegExp, release: ProviderRelease])[];

/**
 * @returns the wrong releases, and the release of another program with a valid signature. Only a lock file can refuse
 * the validly signed release.
 */
async function wrongReleases(rehearsal: Rehearsal, right: ProviderRelease): Promise<[Wrong, ProviderRelease]> {
  const spoiled = async (name: string, spoil: (folder: string) => unknown): Promise<ProviderRelease> => {
    const uploaded = rehearsal.folder(`provider/${name}`);
    cpSync(right.uploaded, uploaded, { recursive: true });
    await spoil(uploaded);
    return { ...right, uploaded };
  };
  const change = async (folder: string) => changeByte(join(folder, archive));
  const sumAnew = async (folder: string) => {
    const names = [archive, sums.replace("SHA256SUMS", "manifest.json")];
    writeFileSync(join(folder, sums), await checksums(names.map((name) => ({ name, file: join(folder, name) }))));
  };
  const wrong: Wrong = [
    ["an archive with one byte changed", /incorrect checksum/, await spoiled("byte", change)],
    [
      "its checksums changed with it",
      /invalid signature/,
      await spoiled("sums", (folder) => change(folder).then(() => sumAnew(folder))),
    ],
    ["the signature of another key", /signature/, await spoiled("key", (folder) => new OpenPgpKey().sign(folder))],
  ];
  const replaced = await spoiled("replaced", async (folder) => {
    const content = "another program";
    const packed = terraformProvider.pack([{ name: terraformProvider.executable(version), content }]);
    writeFileSync(join(folder, archive), await packed);
    await sumAnew(folder);
    rehearsal.key.sign(folder);
  });
  return [wrong, replaced];
}
