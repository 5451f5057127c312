import { execFileSync, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** A pair of OpenPGP keys that replaces the release's key. It is in no file. */
export class OpenPgpKey {
  readonly fingerprint: string;
  /** Armoured, without a passphrase. */
  readonly privateKey: string;
  /** Armoured. */
  readonly publicKey: string;

  /**
   * @param algorithm as gpg names it.
   * @param user the user id, which may be any text.
   */
  constructor(algorithm = "rsa4096", user = "release@example.com") {
    const home = mkdtempSync(join(tmpdir(), "gpg-"));
    const gpg = (...args: string[]) =>
      execFileSync("gpg", ["--homedir", home, "--batch", "--quiet", "--passphrase", "", ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    try {
      gpg("--quick-generate-key", user, algorithm, "sign", "never");
      this.fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(gpg("--with-colons", "--list-keys"))?.[1] ?? "";
      this.privateKey = gpg("--armor", "--export-secret-keys");
      this.publicKey = gpg("--armor", "--export");
    } finally {
      spawnSync("gpgconf", ["--homedir", home, "--kill", "all"]);
      rmSync(home, { recursive: true, force: true });
    }
  }

  /**
   * Signs a folder as the workflow does.
   * @param page where users look the fingerprint up; by default one with this key's.
   */
  sign(folder: string, page = fingerprintLine(this.fingerprint)): SpawnSyncReturns<string> {
    return spawnSync(join(projectRoot, ".ci", "sign"), [folder, "-"], {
      env: { PATH: process.env.PATH, RELEASE_SIGNING_KEY: this.privateKey },
      input: page,
      encoding: "utf8",
    });
  }
}

/** The only line of SECURITY.md that changes when the key does. */
export function fingerprintLine(fingerprint: string): string {
  return `Fingerprint: \`${fingerprint}\`\n`;
}

/** The fingerprint that SECURITY.md names; undefined while it names no fingerprint. */
export function fingerprintIn(page: string): string | undefined {
  return /^Fingerprint: `([0-9A-F]{40})`$/m.exec(page)?.[1];
}
