import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { defaultUnpackLimits, type UnpackLimits } from "../../../../../provider/mirror/archive/limits";
import { archiveFile, archiveWith, type Files, filesInArchive, refusalOf, tarOf } from "./archives";

const limits = (changes: Partial<UnpackLimits>): UnpackLimits => ({ ...defaultUnpackLimits, ...changes });
const tenMegabytes = "0".repeat(10_000_000);

// The same reader reads every tar format, so one tar format is enough here.
describe.each(["tar.zst", "zip"] as const)("a %s", (format) => {
  it("may hold as many files as the limit, and not one more", async () => {
    const files: Files = Array.from({ length: 5 }, (_, i) => [`${i}`, ""]);
    const archive = await archiveWith(format, files);
    expect(await filesInArchive(archiveFile(archive), format, limits({ files: 5 }))).toHaveLength(5);
    expect(await refusalOf(archive, format, limits({ files: 4 }))).toBe("the archive contains more than 4 files");
  });

  it("with a file of more bytes than the limit names it", async () => {
    const archive = await archiveWith(format, [
      ["small", "1"],
      ["large", "1".repeat(500_001)],
    ]);
    expect(await refusalOf(archive, format, limits({ bytes: 500_000 }))).toContain(
      '"large" has more than 500000 bytes',
    );
  });

  it("may hold as many bytes as the limit in all, and not one more", async () => {
    const archive = await archiveWith(format, [
      ["a", "a".repeat(3_000)],
      ["b", "b".repeat(3_000)],
    ]);
    // The limit counts all bytes of a tar: also headers, padding and the end mark.
    const bytes = format === "zip" ? 6_000 : 2 * (512 + 3_072) + 1_024;
    expect(await filesInArchive(archiveFile(archive), format, limits({ bytes }))).toHaveLength(2);
    const message = await refusalOf(archive, format, limits({ bytes: bytes - 1 }));
    expect(message).toBe(`the archive contains more than ${bytes - 1} bytes`);
  });

  it("may have paths as long as the limit, and not one byte longer", async () => {
    const archive = await archiveWith(format, [["ä/b", ""]]);
    expect(await filesInArchive(archiveFile(archive), format, limits({ pathBytes: 4 }))).toHaveLength(1);
    expect(await refusalOf(archive, format, limits({ pathBytes: 3 }))).toContain("more than 3 bytes");
  });

  it("may have 32 levels, and not one more, which would make a list of folders large", async () => {
    const deep = (levels: number) => `${"d/".repeat(levels - 1)}page.html`;
    expect(await filesInArchive(archiveFile(await archiveWith(format, [[deep(32), ""]])), format)).toHaveLength(1);
    expect(await refusalOf(await archiveWith(format, [[deep(33), ""]]), format)).toContain("deeper than 32 levels");
  });
});

describe("a bomb", () => {
  it.each(["tar.gz", "zip"] as const)("is refused by its ratio once it is large enough: %s", async (format) => {
    const archive = await archiveWith(format, [["bomb", tenMegabytes]]);
    expect(await refusalOf(archive, format, limits({ ratioFrom: 1_000_000 }))).toContain("200 times its size");
    expect(await filesInArchive(archiveFile(archive), format)).toEqual([["bomb", tenMegabytes]]);
  });

  it("behind a tar's end mark is refused, too", async () => {
    const tar = await tarOf([{ name: "a" }]);
    const bomb = gzipSync(Buffer.concat([tar, Buffer.alloc(10_000_000)]));
    expect(await refusalOf(bomb, "tar.gz", limits({ ratioFrom: 1_000_000 }))).toContain("200 times its size");
    expect(await refusalOf(bomb, "tar.gz", limits({ bytes: 5_000_000 }))).toContain("more than 5000000 bytes");
  });

  it("in the header before an entry is refused without being kept", async () => {
    const tar = await tarOf([{ name: "a", pax: { comment: "0".repeat(5_000_000) } }]);
    expect(await refusalOf(gzipSync(tar), "tar.gz")).toContain("Header exceeds");
  });
});
