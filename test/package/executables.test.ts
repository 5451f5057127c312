import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { runTool } from "../../tools/processes/runTool";
import { buildExecutable } from "../../tools/release/plugins/buildExecutable";
import { bundleProgram } from "../../tools/release/plugins/bundle";
import { signatureOf, signedAdHoc } from "../../tools/release/plugins/machO";
import {
  makeReleaseArchive,
  pluginRelease,
  type Release,
  terraformProvider,
  version,
} from "../../tools/release/plugins/release";
import { executableName, ownTarget, type Target, targetNamed, targets } from "../../tools/release/plugins/target";
import { certificateOf } from "../../tools/release/plugins/windowsCertificate";
import { campaign, variant } from "../support/campaign";
import { hasTool } from "../support/requireTool";
import { startAndCheck } from "../support/startAndCheck";
import { temporaryFolder } from "../support/temporaryFolder";
import { unzipInto } from "../support/unzipInto";

const limit = 1_200_000;
const emulator = "qemu-aarch64-static";

async function unpacked(release: Release, target: Target): Promise<string> {
  const folder = temporaryFolder();
  const archive = await makeReleaseArchive(release, target);
  if (archive.endsWith(".zip")) {
    unzipInto(folder, archive);
  } else {
    const { ok, output } = await runTool("tar", ["-xzf", archive], { cwd: folder });
    expect(ok, output).toBe(true);
  }
  expect(readFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^undici 8[\s\S]*^Node\.js$/m);
  return join(folder, executableName(release.executable(version), target));
}

/** For each system, the fields of an executable's header that show the system and the processor. */
const machines: Record<string, (file: Buffer) => unknown> = {
  linux: (file) => [file.readUInt32BE(0), file.readUInt16LE(18)],
  darwin: (file) => [file.readUInt32LE(0), file.readUInt32LE(4)],
  windows: (file) => [file.toString("latin1", 0, 2), file.readUInt16LE(file.readUInt32LE(0x3c) + 4)],
};
const expected: Record<string, unknown> = {
  "linux-amd64": [0x7f454c46, 62],
  "linux-arm64": [0x7f454c46, 183],
  "darwin-amd64": [0xfeedfacf, 0x01000007],
  "darwin-arm64": [0xfeedfacf, 0x0100000c],
  "windows-amd64": ["MZ", 0x8664],
  "windows-arm64": ["MZ", 0x8664],
};

const released = [pluginRelease, terraformProvider].flatMap((release) =>
  targets.map((target) => [release.archive(version, target), release, target] as const),
);

variant.each(released)(
  "%s has an executable for its target, signed ad hoc where that is asked for",
  async (_, release, target) => {
    const executable = await unpacked(release, target);
    const file = readFileSync(executable);
    if (release === pluginRelease) {
      expect(statSync(executable).mode & 0o111).toBe(0o111);
    }
    const parts = target.os === "linux" ? [file, readFileSync(join(dirname(executable), "lib", "program"))] : [file];
    for (const part of parts) {
      expect(machines[target.os]?.(part)).toEqual(expected[target.name]);
    }
    if (target.os === "darwin") {
      // `signedAdHoc` computes the signature's hashes anew. If the file stays the same, the old hashes were right.
      expect(signedAdHoc(file, release.executable(version)).equals(file)).toBe(true);
      expect(signatureOf(file)).toMatchObject({ offset: expect.any(Number) });
    }
    if (target.os === "windows") {
      expect(certificateOf(file)).toEqual({ offset: 0, size: 0 });
    }
  },
  limit,
);

it.runIf(campaign && hasTool(emulator))(
  `the executable for linux-arm64 answers under ${emulator}`,
  async () => {
    // The launcher would ask this machine's kernel to run a program for another processor. So the emulator starts the
    // program without the launcher.
    const libraries = join(dirname(await unpacked(pluginRelease, targetNamed("linux-arm64"))), "lib");
    const [loader, program] = [join(libraries, "ld-linux-aarch64.so.1"), join(libraries, "program")];
    await startAndCheck(emulator, [loader, "--library-path", libraries, program]);
  },
  limit,
);

variant(
  "an executable has the same bytes when it is built twice",
  async () => {
    const hashes: string[] = [];
    for (const time of ["first", "second"]) {
      const folder = join(temporaryFolder(), time);
      mkdirSync(folder);
      const { file } = await buildExecutable(await bundleProgram(pluginRelease.entry), ownTarget(), folder, "plugin");
      hashes.push(createHash("sha256").update(readFileSync(file)).digest("hex"));
    }
    expect(hashes[1]).toBe(hashes[0]);
  },
  limit,
);
