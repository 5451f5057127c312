import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { MirroredContent } from "../../../../../provider/mirror/layouts/mirror";
import type { MirrorOwner } from "../../../../../provider/mirror/layouts/mirrorOwner";
import { SiteMirror } from "../../../../../provider/mirror/layouts/siteMirror";
import { FileStore } from "../../../../../provider/storage/file/store";
import { ArchiveError } from "../../../../../provider/support/errors";
import { systemClock } from "../../../../../provider/support/time/clock";
import { campaign } from "../../../../support/campaign";
import { never } from "../../../../support/clientUnderTest";
import { filesIn } from "../../../../support/mirror/storage";
import { campaignSeed } from "../../../../support/random";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { archiveWith, type Files } from "../archive/archives";

const mostMemory = 128 * 1024 ** 2;
const publication = "1".repeat(32);
const saved = { publication, sha256: "", files: [".bundle-mirror.json"], isReplaced: false };
const owner: MirrorOwner = { jobId: "job-1", names: ["this mirror"], publication, saved };

/** The files are small, so most bytes of the archive are headers, and most random changes hit a header. */
const site: Files = [
  ["index.html", "<h1>Start</h1>"],
  ["guide/a.html", "a"],
  ["guide/b.css", "b"],
];

/** Bytes that have a special meaning in a header, such as the limits of numbers and the letters for entry types. */
const turning = fc
  .constantFrom("\0", "\xff", "\x80", "\x81", "7", "0", " ", "/", ".", "\\", "x", "g", "L", "2", "5")
  .chain((sign) => fc.integer({ min: 1, max: 12 }).map((count) => Buffer.from(sign.repeat(count), "latin1")));
const anything = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes));
const names = fc
  .constantFrom("..", "../x", "/etc/x", ".bundle-mirror.json", "guide", "INDEX.HTML", "d/".repeat(40), "\u202e.html")
  .map((name) => Buffer.from(`${name}\0`));
const bytes = fc.oneof(turning, anything, names);

/** The positions of the fields in a tar header: name, mode, size, checksum, type, link, magic, prefix. */
const tarPlace = fc
  .tuple(fc.nat(8), fc.constantFrom(0, 100, 124, 148, 156, 157, 257, 345))
  .map(([block, field]) => block * 512 + field);

/** Sets the checksums in the headers of a tar to the right values. */
function summed(tar: Buffer): Buffer {
  for (let at = 0; at + 512 <= tar.length; at += 512) {
    const header = tar.subarray(at, at + 512);
    if (header.toString("latin1", 257, 262) === "ustar") {
      header.fill(" ", 148, 156);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    }
  }
  return tar;
}

/** Returns a function that publishes an archive to an empty folder, and then deletes the mirror. */
function publisher() {
  let peak = 0;
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 2);
  onTestFinished(() => clearInterval(watch));
  const folder = temporaryFolder();
  const store = new FileStore({ kind: "file", folder }, never);
  const mirror = new SiteMirror(store, owner);
  onTestFinished(() => store.close());
  const outcomes = { refused: 0, published: 0 };
  const silent = { outerFolder: {}, status: () => {}, warn: () => {}, info: () => {} };

  async function publish(archive: Buffer): Promise<void> {
    const begin = memory();
    peak = begin;
    async function* chunks() {
      yield archive;
    }
    const download = { open: async () => ({ expectedBytes: archive.length, chunks: chunks() }) };
    const source = { jobId: "job-1", expectedSha256: undefined, download, clock: systemClock };
    const outcome = await mirror.put({ ...source, ...silent }, never).catch((error: unknown) => error);
    expect(peak - begin).toBeLessThan(mostMemory);
    if (outcome instanceof ArchiveError) {
      outcomes.refused++;
    } else {
      expect(outcome).not.toBeInstanceOf(Error);
      outcomes.published++;
      expect(await mirror.inspect(outcome as MirroredContent)).toEqual({ kind: "same" });
      await mirror.remove(outcome as MirroredContent, (text) => expect.fail(text));
    }
    expect(filesIn(folder)).toEqual([]);
  }

  return { publish, outcomes };
}

it.each([
  ["tar", tarPlace],
  ["zip", fc.nat()],
] as const)(
  "a %s with other headers is refused before any write, or published, found the same, and removed as a whole",
  async (format, place) => {
    const archive = await archiveWith(format, site);
    const { publish, outcomes } = publisher();
    const changes = fc.array(fc.record({ place, bytes }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (drawn, isSummed) => {
        const changed = Buffer.from(archive);
        for (const one of drawn) {
          one.bytes.copy(changed, one.place % changed.length);
        }
        await publish(format === "tar" && isSummed ? summed(changed) : changed);
      }),
      // The first case is the unchanged archive, so that at least one archive is accepted.
      { numRuns: campaign ? 3_000 : 100, seed: campaignSeed(), examples: [[[], true]] },
    );
    expect(Math.min(outcomes.refused, outcomes.published)).toBeGreaterThan(0);
  },
  20 * 60_000,
);
