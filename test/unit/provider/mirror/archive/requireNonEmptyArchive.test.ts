import { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";
import { requireNonEmptyArchive } from "../../../../../provider/mirror/archive/requireNonEmptyArchive";
import { gzipLike } from "../../../../support/mirror/storage";
import { archiveWith } from "./archives";

it.each(["tar", "tar.gz", "tar.zst"] as const)("bytes that are no %s pass, in chunks of any size", async (format) => {
  const bytes = gzipLike(200_000);
  for (const size of [100, 16_383, 16_384, 65_536, 200_000]) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) {
        yield bytes.subarray(at, at + size);
      }
    };
    expect((await buffer(requireNonEmptyArchive(chunks(), format))).equals(bytes)).toBe(true);
  }
});

it.each([
  ["tar.gz", gzipSync],
  ["tar.zst", zstdCompressSync],
] as const)("a transfer of a %s that stops before its last chunk leaves no stream open", async (format, pack) => {
  const write = vi.spyOn(Duplex.prototype, "write");
  onTestFinished(() => write.mockRestore());
  const chunks = async function* () {
    yield pack(Buffer.alloc(512));
    throw new Error("the connection broke");
  };
  await expect(buffer(requireNonEmptyArchive(chunks(), format))).rejects.toThrow("the connection broke");
  const streams = new Set(write.mock.contexts as Duplex[]);
  expect(streams.size).toBeGreaterThan(0);
  for (const stream of streams) {
    await vi.waitFor(() => expect(stream.destroyed).toBe(true));
  }
});

it("the remedy for an archive without a file names no other layout, because each one refuses it", async () => {
  const chunks = async function* () {
    yield await archiveWith("zip", []);
  };
  await expect(buffer(requireNonEmptyArchive(chunks(), "zip"))).rejects.toMatchObject({
    happened: "the archive has no file",
    remedy: expect.not.stringContaining("layout"),
  });
});
