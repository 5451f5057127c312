import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Mirrored } from "../../../../../provider/mirror/layouts/layout";
import type { MirrorOwner } from "../../../../../provider/mirror/layouts/mirrorOwner";
import { siteLayout } from "../../../../../provider/mirror/layouts/siteLayout";
import type { Source } from "../../../../../provider/mirror/transfer/source";
import { FileStore } from "../../../../../provider/storage/file/store";
import { ArchiveError } from "../../../../../provider/support/errors";
import { systemClock } from "../../../../../provider/support/time/clock";
import { campaign } from "../../../../support/campaign";
import { never } from "../../../../support/clientUnderTest";
import { serve } from "../../../../support/loopback";
import { downloadOf } from "../../../../support/mirror/downloads";
import { filesIn, storage } from "../../../../support/mirror/storage";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { archiveWith, type Files } from "../archive/archives";

const runs = campaign ? { numRuns: 3_000 } : { numRuns: 60 };
const mostMemory = 128 * 1024 ** 2;
const owner: MirrorOwner = { jobId: "job-1", key: "1".repeat(16) };

const site: Files = [
  ["index.html", "<h1>Start</h1>"],
  ["guide/a.html", "a".repeat(700)],
  ["guide/b.css", "b"],
];

/** One change of an archive: the new bytes and their place. */
interface Change {
  place: number;
  bytes: Buffer;
}

/** Values at the borders of number types, for the sizes, modes and offsets in headers. */
const turning = fc
  .constantFrom("\0", "\xff", "\x80", "\x81", "7", "0", " ", "/", ".", "\\", "x", "g", "L", "2", "5")
  .chain((sign) => fc.integer({ min: 1, max: 12 }).map((count) => Buffer.from(sign.repeat(count), "latin1")));
const anything = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes));
const names = fc
  .constantFrom("..", "../x", "/etc/x", ".bundle-mirror.json", "guide", "INDEX.HTML", "d/".repeat(40), "\u202e.html")
  .map((name) => Buffer.from(`${name}\0`));

/** The fields of a tar's header: name, mode, size, checksum, type, link, magic, prefix. */
const tarFields = [0, 100, 124, 148, 156, 157, 257, 345] as const;
const tarChange = fc.record({
  place: fc.tuple(fc.nat(8), fc.constantFrom(...tarFields)).map(([block, field]) => block * 512 + field),
  bytes: fc.oneof(turning, anything, names),
});

function changedTar(tar: Buffer, changes: readonly Change[], summed: boolean): Buffer {
  const changed = applied(tar, changes);
  for (let at = 0; summed && at + 512 <= changed.length; at += 512) {
    const header = changed.subarray(at, at + 512);
    if (header.toString("latin1", 257, 262) === "ustar") {
      header.fill(" ", 148, 156);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    }
  }
  return changed;
}

function applied(archive: Buffer, changes: readonly Change[]): Buffer {
  const changed = Buffer.from(archive);
  for (const { place, bytes } of changes) {
    bytes.copy(changed, place % changed.length);
  }
  return changed;
}

const tars = fc.tuple(fc.array(tarChange, { minLength: 1, maxLength: 4 }), fc.boolean());
const zipChanges = fc.array(fc.record({ place: fc.nat(), bytes: fc.oneof(turning, anything, names) }), {
  minLength: 1,
  maxLength: 4,
});

/** The place of a zip's headers. Its content is compressed, and does not matter here. */
function headersOf(zip: Buffer): number[] {
  const places: number[] = [];
  for (const [mark, length] of [
    ["PK\x03\x04", 40],
    ["PK\x01\x02", 56],
    ["PK\x05\x06", 22],
  ] as const) {
    for (let at = zip.indexOf(mark, 0, "latin1"); at >= 0; at = zip.indexOf(mark, at + 1, "latin1")) {
      places.push(...Array.from({ length }, (_, offset) => at + offset));
    }
  }
  return places;
}

/**
 * Publishes an archive to an empty folder.
 * @returns the result, and the largest growth of the heap.
 */
async function publisher() {
  let archive: Buffer = Buffer.alloc(0);
  const { url } = await serve((...args) => storage(archive)(...args));
  let peak = 0;
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 2);
  onTestFinished(() => clearInterval(watch));
  const folder = temporaryFolder();
  const store = new FileStore({ kind: "file", folder }, never);
  const outcomes = { refused: 0, published: 0 };

  async function publish(bytes: Buffer): Promise<void> {
    archive = bytes;
    const begin = memory();
    peak = begin;
    const { download } = downloadOf([`${url}/bundle`]);
    const silent = () => {};
    const source: Source = {
      ...{ jobId: "job-1", expectedSha256: undefined, download, clock: systemClock },
      ...{ allowExisting: false, status: silent, warn: silent, info: silent },
    };
    const outcome = await siteLayout.put(source, owner, store, never).catch((error: unknown) => error);
    await download.close();
    expect(peak - begin).toBeLessThan(mostMemory);
    if (outcome instanceof ArchiveError) {
      outcomes.refused++;
      expect(filesIn(folder)).toEqual([]);
      return;
    }
    expect(outcome).not.toBeInstanceOf(Error);
    outcomes.published++;
    expect(await siteLayout.inspect(owner, outcome as Mirrored, store)).toMatchObject({ kind: "same" });
    await siteLayout.remove(owner, outcome as Mirrored, store, { warn: (text) => expect.fail(text), signal: never });
    expect(filesIn(folder)).toEqual([]);
  }

  return { publish, outcomes };
}

const minutes = 20 * 60_000;

it.each(["tar", "tar.gz"] as const)(
  "a %s with other headers is refused before any write, or published, found the same, and removed as a whole",
  async (format) => {
    const tar = await archiveWith("tar", site);
    const { publish, outcomes } = await publisher();
    await fc.assert(
      fc.asyncProperty(tars, async ([changes, summed]) => {
        const changed = changedTar(tar, changes, summed);
        await publish(format === "tar" ? changed : gzipSync(changed));
      }),
      // The unchanged archive comes first, because all of a few draws may be refused.
      { ...runs, examples: [[[[], true]]] },
    );
    expect(outcomes).toEqual({ refused: expect.toSatisfy(positive), published: expect.toSatisfy(positive) });
  },
  minutes,
);

it(
  "a zip with other headers is refused before any write, or published, found the same, and removed as a whole",
  async () => {
    const zip = await archiveWith("zip", site);
    const headers = headersOf(zip);
    const { publish, outcomes } = await publisher();
    await fc.assert(
      fc.asyncProperty(zipChanges, async (changes) => {
        const placed = changes.map(({ place, bytes }) => ({ place: headers[place % headers.length] ?? 0, bytes }));
        await publish(applied(zip, placed));
      }),
      // The unchanged archive comes first, because all of a few draws may be refused.
      { ...runs, examples: [[[]]] },
    );
    expect(outcomes).toEqual({ refused: expect.toSatisfy(positive), published: expect.toSatisfy(positive) });
  },
  minutes,
);

function positive(count: number): boolean {
  return count > 0;
}
