import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkArchiveAndListDigests } from "../../../../../provider/mirror/archive/readArchive";
import { ArchiveError } from "../../../../../provider/support/errors";
import { campaign } from "../../../../support/campaign";
import { sha256Of } from "../../../../support/mirror/storage";
import { campaignSeed } from "../../../../support/random";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { archiveWith, type Files, filesInArchive, formats } from "./archives";

const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .map((name) => name.replace(/[\p{Cc}\p{Cs}/\\:\ufffd]/gu, "_"))
  .filter((name) => name !== "." && name !== ".." && Buffer.byteLength(name) <= 200);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));

/** The paths never collide: each file has a number in its name, and no folder's name has an extension. */
const tree: fc.Arbitrary<Files> = fc
  .array(fc.tuple(path, fc.string({ unit: "binary", maxLength: 3_000 })), { maxLength: 12 })
  .map((files) => files.map(([name, content], i) => [`${i}-${name}.html`, content]));

const hostile = fc.oneof(
  path.map((name) => `/${name}`),
  path.map((name) => `../${name}`),
  fc.tuple(path, path).map(([before, after]) => `${before}/../${after}`),
  fc.tuple(path, path).map(([before, after]) => `${before}\\${after}`),
  fc.tuple(fc.constantFrom("C", "z"), path).map(([drive, name]) => `${drive}:${name}`),
  fc.tuple(path, fc.integer({ min: 1, max: 31 })).map(([name, code]) => `${name}${String.fromCharCode(code)}x`),
);

const small: Files = [
  ["index.html", "<h1>Start</h1>"],
  ["guide/a.html", "a"],
];

it.each(formats)("any tree of files comes out of a %s as it went in", async (format) => {
  const file = join(temporaryFolder(), "archive");
  await fc.assert(
    fc.asyncProperty(tree, async (files) => {
      writeFileSync(file, await archiveWith(format, files));
      expect(await filesInArchive(file, format)).toEqual(files);
    }),
    { numRuns: campaign ? 200 : 20, seed: campaignSeed() },
  );
});

it.each(formats)("any hostile path refuses a whole %s, wherever it stands", async (format) => {
  const file = join(temporaryFolder(), "archive");
  await fc.assert(
    fc.asyncProperty(tree, hostile, fc.nat(), async (files, name, place) => {
      const entries = files.toSpliced(place % (files.length + 1), 0, [name, "x"]);
      writeFileSync(file, await archiveWith(format, entries));
      await expect(checkArchiveAndListDigests(file, format)).rejects.toBeInstanceOf(ArchiveError);
    }),
    { numRuns: campaign ? 200 : 20, seed: campaignSeed() },
  );
});

it.each(formats)("a %s that is cut at any byte is refused, or contains the same files", async (format) => {
  const archive = await archiveWith(format, small);
  const file = join(temporaryFolder(), "archive");
  const whole = small.map(([path, content]) => ({ path, sizeBytes: content.length, sha256: sha256Of(content) }));
  // The step has no common factor with the size of a block, so the archive is cut at every offset within a block.
  for (let cut = 0; cut <= archive.length; cut += campaign ? 1 : 13) {
    const length = archive.length - cut;
    writeFileSync(file, archive.subarray(0, length));
    const outcome = await checkArchiveAndListDigests(file, format).catch((error: unknown) => error);
    if (cut === 0 || !(outcome instanceof ArchiveError)) {
      expect(outcome, `${length} bytes`).toEqual(whole);
    }
  }
});

it.each(formats)("a %s with any bytes changed is refused, or read; it never fails in another way", async (format) => {
  const archive = await archiveWith(format, small);
  const file = join(temporaryFolder(), "archive");
  const change = fc.tuple(fc.nat(archive.length - 1), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const changed = Buffer.from(archive);
      for (const [place, value] of changes) {
        changed[place] = value;
      }
      writeFileSync(file, changed);
      const outcome = await checkArchiveAndListDigests(file, format).catch((error: unknown) => error);
      expect(outcome instanceof ArchiveError || Array.isArray(outcome)).toBe(true);
    }),
    { numRuns: campaign ? 2_000 : 100, seed: campaignSeed() },
  );
});
