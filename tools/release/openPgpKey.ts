import { execFileSync, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** A pair of OpenPGP keys that replaces the release's key. No file contains it. */
export class OpenPgpKey {
  readonly fingerprint: string;
  /** The private key: armoured, without a passphrase. */
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
   * Signs a folder like the workflow.
   * @param page the page where users find the fingerprint; by default a page with this key's fingerprint.
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

/** Returns the fingerprint in SECURITY.md; undefined if there is none yet. */
export function fingerprintIn(page: string): string | undefined {
  return /^Fingerprint: `([0-9A-F]{40})`$/m.exec(page)?.[1];
}
