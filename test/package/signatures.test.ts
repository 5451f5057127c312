import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { requireTool } from "../support/requireTool";

/** A key pair that lives as long as the test. */
class ThrowAwayKey {
  readonly folder = mkdtempSync(join(tmpdir(), "gpg-"));
  readonly fingerprint: string;

  constructor() {
    onTestFinished(() => {
      spawnSync("gpgconf", ["--homedir", this.folder, "--kill", "all"]);
      rmSync(this.folder, { recursive: true, force: true });
    });
    this.gpg("--passphrase", "", "--quick-generate-key", "release@example.com", "ed25519", "sign", "never");
    this.fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(this.gpg("--with-colons", "--list-keys"))?.[1] ?? "";
  }

  gpg(...args: string[]): string {
    return execFileSync("gpg", ["--homedir", this.folder, "--batch", "--quiet", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

describe.skipIf(!requireTool("gpg"))("the signature of a release", () => {
  it("stands beside each list of checksums, and fits these bytes and no others", () => {
    const key = new ThrowAwayKey();
    const folder = join(key.folder, "release");
    mkdirSync(folder);
    const names = ["SHA256SUMS", "terraform-provider-docsplatform_0.1.0_SHA256SUMS"];
    for (const name of names) {
      writeFileSync(join(folder, name), `${sha256(name)}  ${name}.zip\n`);
    }
    const armoured = key.gpg("--armor", "--export-secret-keys", key.fingerprint);
    const sign = (environment: NodeJS.ProcessEnv) =>
      spawnSync(join(projectRoot, ".ci", "sign"), [folder], { env: { PATH: process.env.PATH, ...environment } }).status;
    expect(sign({})).not.toBe(0);
    expect(sign({ RELEASE_SIGNING_KEY: armoured })).toBe(0);

    const keyring = join(key.folder, "keyring");
    key.gpg("--output", keyring, "--export", key.fingerprint);
    const verify = (name: string) =>
      spawnSync("gpgv", ["--keyring", keyring, join(folder, `${name}.sig`), join(folder, name)]).status;
    expect(names.map(verify)).toEqual([0, 0]);
    writeFileSync(join(folder, "SHA256SUMS"), `${sha256("another")}  SHA256SUMS.zip\n`);
    expect(names.map(verify)).toEqual([1, 0]);
    // Terraform's registry reads no armour.
    expect(readFileSync(join(folder, `${names[1]}.sig`), "latin1")).not.toContain("BEGIN PGP");
  });
});
