import { execFileSync, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** A pair of OpenPGP keys that replaces the release's key in a rehearsal. It is kept only in memory. */
export class OpenPgpKey {
  readonly fingerprint: string;
  /** The private key, armoured, without a passphrase. */
  readonly privateKey: string;
  /** The public key, armoured. */
  readonly publicKey: string;

  /** @param algorithm the name that gpg uses. */
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

  /** Signs a folder by the workflow's command. `page` is the text in which users find the fingerprint. */
  sign(folder: string, page = fingerprintLine(this.fingerprint)): SpawnSyncReturns<string> {
    return spawnSync(join(projectRoot, ".ci", "sign"), [folder, "-"], {
      env: { PATH: process.env.PATH, RELEASE_SIGNING_KEY: this.privateKey },
      input: page,
      encoding: "utf8",
    });
  }
}

/** Returns the line of SECURITY.md that contains the fingerprint. No other line depends on the key. */
export function fingerprintLine(fingerprint: string): string {
  return `Fingerprint: \`${fingerprint}\`\n`;
}

export function fingerprintIn(page: string): string | undefined {
  return /^Fingerprint: `([0-9A-F]{40})`$/m.exec(page)?.[1];
}
