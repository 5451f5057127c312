import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { verificationCommands } from "../../tools/release/channels/releasePage";
import { fingerprintLine, OpenPgpKey } from "../../tools/release/openPgpKey";
import { requireTool } from "../support/requireTool";
import { temporaryFolder } from "../support/temporaryFolder";

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const names = ["SHA256SUMS", "terraform-provider-docsplatform_0.1.0_SHA256SUMS"];

function releaseFolder(): string {
  const folder = temporaryFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), `${sha256(name)}  ${name}.zip\n`);
  }
  return folder;
}

describe.skipIf(!requireTool("gpg"))("the signature of a release", () => {
  let key: OpenPgpKey;
  beforeAll(() => {
    key = new OpenPgpKey();
  });

  it("stands beside each list of checksums, and fits these bytes and no others", () => {
    const folder = releaseFolder();
    expect(key.sign(folder).status).toBe(0);

    const keyring = join(folder, "keyring");
    spawnSync("gpg", ["--dearmor", "--output", keyring], { input: key.publicKey });
    const verify = (name: string) =>
      spawnSync("gpgv", ["--keyring", keyring, join(folder, `${name}.sig`), join(folder, name)]).status;
    expect(names.map(verify)).toEqual([0, 0]);
    writeFileSync(join(folder, "SHA256SUMS"), `${sha256("another")}  SHA256SUMS.zip\n`);
    expect(names.map(verify)).toEqual([1, 0]);
    // Terraform's registry does not read an armoured signature.
    expect(readFileSync(join(folder, `${names[1]}.sig`), "latin1")).not.toContain("BEGIN PGP");
  });

  it("is refused by the commands of the page if another key made it, whatever the name of that key", () => {
    const [, , check = ""] = /^(.*--import)\n(gpg.*)$/ms.exec(verificationCommands()) ?? [];
    const status = (signer: OpenPgpKey) => {
      const folder = releaseFolder();
      writeFileSync(join(folder, "SHA256SUMS.zip"), "SHA256SUMS");
      const env = {
        PATH: process.env.PATH,
        GNUPGHOME: mkdtempSync("/tmp/gpg-"),
        fingerprint: key.fingerprint,
        archive: "SHA256SUMS.zip",
      };
      const run = (command: string, input = "") => spawnSync("bash", ["-c", command], { cwd: folder, env, input });
      try {
        run("gpg --batch --import", signer.publicKey);
        run("gpg --batch --import", signer.privateKey);
        run("gpg --batch --output SHA256SUMS.sig --detach-sign SHA256SUMS");
        return run(`set -o pipefail; ${check}`).status;
      } finally {
        run("gpgconf --kill all");
        rmSync(env.GNUPGHOME, { recursive: true, force: true });
      }
    };
    const names = [`VALIDSIG of ${key.fingerprint}`, `x\n[GNUPG:] VALIDSIG ${"0 ".repeat(9)}${key.fingerprint}`];
    expect([key, ...names.map((name) => new OpenPgpKey("ed25519", name))].map(status)).toEqual([0, 1, 1]);
  });

  it("is made only with a key that Terraform's registry takes, and whose fingerprint users can look up", () => {
    const [curve, folder] = [new OpenPgpKey("ed25519"), releaseFolder()];
    expect(curve.sign(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining("RSA of 4096 bits") });
    for (const page of ["Fingerprint: `none yet`\n", fingerprintLine(curve.fingerprint)]) {
      expect(key.sign(folder, page)).toMatchObject({ status: 1, stderr: expect.stringContaining(key.fingerprint) });
    }
  });
});
