import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { OpenPgpKey } from "../openPgpKey";
import { pluginRelease, version } from "../plugins/release";
import { ownTarget } from "../plugins/target";
import type { Channel } from "./channel";
import { publishProvider } from "./providerRelease";
import { changeByte, mustFail, mustSucceed } from "./steps";
import { serveTerraformRegistry } from "./terraformRegistry";

/** Users verify the files of the release's page by the commands of docs/guides/verify-release.md. */
export const releasePage: Channel = {
  name: "files of the release's page",
  async rehearse(rehearsal) {
    const { key } = rehearsal;
    const release = await publishProvider(rehearsal, "signature");
    const registry = await serveTerraformRegistry(rehearsal, release);
    const files = await rehearsal.release;
    const download = (name: string) => {
      const folder = rehearsal.folder(`signature/${name}`);
      cpSync(files, folder, { recursive: true });
      return folder;
    };
    const archive = pluginRelease.archive(version, ownTarget());
    const commands = verificationCommands()
      .replace(/(?<=^version=).*/m, version)
      .replace(/(?<=^archive=).*/m, archive)
      .replace(/(?<=^fingerprint=).*/m, key.fingerprint)
      .replace("registry.terraform.io", registry.host)
      .replace("linux/amd64", `${ownTarget().os}/${ownTarget().arch}`);
    const shell = ["bash", "-euo", "pipefail", "-c", commands];
    const verifier = (name: string, cwd: string) => {
      const GNUPGHOME = rehearsal.folder(`gpg/${name}`);
      rehearsal.atEnd(() => spawnSync("gpgconf", ["--homedir", GNUPGHOME, "--kill", "all"]));
      return { cwd, env: { GNUPGHOME, CURL_CA_BUNDLE: rehearsal.certificate } };
    };

    const right = download("right");
    const checked = await mustSucceed(shell, verifier("right", right));
    if (!checked.includes(`${archive}: OK`)) {
      throw new Error(`the commands of docs/guides/verify-release.md have not checked ${archive}:\n${checked}`);
    }

    const changed = download("changed");
    changeByte(join(changed, archive));
    // An attacker may choose a key name that looks like gpg's line about our key.
    const other = new OpenPgpKey("rsa4096", `VALIDSIG of ${key.fingerprint}`);
    const curve = new OpenPgpKey("ed25519");
    const forged = download("forged");
    other.sign(forged);
    const refused = [
      await mustFail("an archive with one byte changed", /: FAILED/, shell, verifier("changed", changed)),
      await mustFail("a signature of a key that is not there", /No public key/, shell, verifier("unknown", forged)),
    ];
    registry.release = { ...release, publicKey: other.publicKey };
    refused.push(await mustFail("a good signature of another key", /Good signature/, shell, verifier("other", forged)));
    // The script refuses ed25519 keys: Terraform and OpenTofu accept them, but Terraform's registry does not.
    for (const [what, words, status] of [
      ["to sign by an ed25519 key", /RSA of 4096 bits/, curve.sign(forged)],
      ["to sign by a key that SECURITY.md does not name", /nobody could check/, key.sign(forged, "")],
    ] as const) {
      if (status.status === 0 || !words.test(status.stderr)) {
        throw new Error(`.ci/sign did not refuse ${what}: ${status.stderr}`);
      }
      refused.push(`${what} (.ci/sign)`);
    }
    const [gpg] = /[\d.]+/.exec(await mustSucceed(["gpg", "--version"], { cwd: right })) ?? [];
    return [{ client: `gpg ${gpg}, sha256sum`, version, refused }];
  },
};

export function verificationCommands(): string {
  const page = readFileSync(join(projectRoot, "docs", "guides", "verify-release.md"), "utf8");
  return /```sh\n(.*?)```/s.exec(page)?.[1] ?? "";
}
