import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Header } from "tar-stream";
import { describe, expect, it } from "vitest";
import { checkArchiveAndListDigests } from "../../../../../provider/mirror/archive/readArchive";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { type ZipEntry, zipOf } from "../../../../support/zipOf";
import { archiveFile, archiveWith, formats, refusalOf, tarOf } from "./archives";

// One reader reads all formats of tar, so one of these formats is enough here.
describe.each(["tar.zst", "zip"] as const)("a %s is refused", (format) => {
  it.each([
    ["/etc/passwd", "absolute"],
    ["//server/share", "absolute"],
    ["C:/a", "absolute"],
    ["c:a", "absolute"],
    ["\\\\server\\share", "backslash"],
    ["a\\..\\b", "backslash"],
    ["..", "with .."],
    ["../a", "with .."],
    ["a/../b", "with .."],
    ["a/..", "with .."],
    ["a\nb", "control character"],
    ["a\u001b[2Jb", "control character"],
    ["a\u009bb", "control character"],
    ["a\u007fb", "control character"],
    ["a\ufffdb", "not UTF-8"],
    ["a/NUL", "that Windows reads as another one"],
    ["aux.html", "that Windows reads as another one"],
    ["com1 .txt", "that Windows reads as another one"],
    ["a/index.html.", "that Windows reads as another one"],
    ["folder /a.html", "that Windows reads as another one"],
    ["PROGRA~1/a.html", "that Windows reads as another one"],
    ["index.html::$DATA", "that Windows reads as another one"],
    ["docs:$I30:$INDEX_ALLOCATION/b", "that Windows reads as another one"],
    [".", "no name"],
    [`${"a".repeat(256)}.html`, "a name of more than 255 bytes"],
    ["ä/".repeat(342), "a path of more than 1024 bytes"],
  ])("for the name %j", async (name, why) => {
    const message = await refusalOf(
      await archiveWith(format, [
        ["good.html", ""],
        [name, ""],
      ]),
      format,
    );
    expect(message).toContain(why);
    expect(message).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u);
    expect(message.length).toBeLessThan(200);
  });

  it.each([
    ["the same name twice", "a/b", "a/b"],
    ["the same name written in two ways", "a/b", "./a//b"],
    ["names that differ by case", "a/Index.html", "a/index.html"],
    ["names that differ by case only where it is folded", "straße", "STRASSE"],
    ["names that differ by Unicode normalisation", "caf\u00e9", "cafe\u0301"],
    ["a file that is a folder of a later one", "a/b", "A/B/c"],
    ["a folder of an earlier file that is a file", "a/b/c", "A/b"],
  ])("for %s", async (_, first, second) => {
    const message = await refusalOf(
      await archiveWith(format, [
        [first, "1"],
        ["between", ""],
        [second, "2"],
      ]),
      format,
    );
    expect(message).toMatch(/have names that some file systems treat as equal|both as a file and as a folder/);
  });
});

it("a file and a folder entry of one name are refused", async () => {
  const folder = { name: "a", type: "directory" } as const;
  expect(await refusalOf(await tarOf([{ name: "A" }, folder]), "tar")).toContain(
    "have names that some file systems treat as equal",
  );
  expect(await refusalOf(await tarOf([folder, { name: "A" }]), "tar")).toContain("both as a file and as a folder");
});

describe("a tar is refused for", () => {
  const types: [Header["type"], string][] = [
    ["symlink", "a symlink"],
    ["link", "a link"],
    ["character-device", "a character-device"],
    ["block-device", "a block-device"],
    ["fifo", "a fifo"],
    ["contiguous-file", "a contiguous-file"],
  ];
  it.each(types)("an entry of type %s", async (type, why) => {
    const message = await refusalOf(await tarOf([{ name: "a", type, linkname: "b" }]), "tar");
    expect(message).toBe(`the archive's entry "a" is ${why}, not a file`);
  });

  it.each(["S", "D", "M", "V", "s", "Z"])("an entry of the unknown type %s", async (type) => {
    const tar = changedHeader(await tarOf([{ name: "a" }]), (header) => header.write(type, 156));
    expect(await refusalOf(tar, "tar")).toContain("of an unknown kind");
  });

  it("a sparse file, as GNU tar writes it in both of its ways", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "sparse"), "a");
    truncateSync(join(folder, "sparse"), 10_000_000);
    for (const [format, why] of [
      ["gnu", "unknown kind"],
      ["pax", "sparse"],
    ]) {
      const tar = execFileSync("tar", ["-cS", `--format=${format}`, "sparse"], { cwd: folder });
      expect(tar.length).toBeLessThan(100_000);
      expect(await refusalOf(tar, "tar")).toContain(why);
    }
  });

  it("a hostile name in a pax header", async () => {
    const tar = await tarOf([{ name: "a", pax: { path: "../../etc/passwd" } }]);
    expect(await refusalOf(tar, "tar")).toContain("with ..");
  });

  it("a header whose checksum is wrong", async () => {
    const tar = await tarOf([{ name: "a" }]);
    tar.write("b", 0);
    expect(await refusalOf(tar, "tar")).toContain("cannot be read");
  });

  it.each([
    ["0".repeat(11), "Invalid tar header"],
    ["7".repeat(11), "Header exceeds max size"],
    ["-0000000001", "Invalid tar header"],
    ["not a size!", "Invalid tar header"],
  ])("a long header of the size %s before its end", async (size, why) => {
    const tar = changedHeader(await tarOf([{ name: `${"a/".repeat(90)}ä` }]), (header) => header.write(size, 124));
    expect(await refusalOf(tar, "tar")).toContain(why);
  });

  it("an end before the end mark, wherever it is", async () => {
    const tar = await tarOf([{ name: "a", content: "a".repeat(700) }, { name: "b" }]);
    const endMark = tar.length - 1_024;
    const isBetweenEntries = (length: number) => [1_536, 2_048].includes(length);
    for (let length = 256; length < endMark + 512; length += 256) {
      const why = await refusalOf(tar.subarray(0, length), "tar");
      // The library tar-stream notices a cut inside an entry, but not a cut between two entries.
      expect(why).toContain(isBetweenEntries(length) ? "is cut short" : "Unexpected end of data");
    }
    expect(await refusalOf(tar.subarray(0, endMark), "tar")).toContain("cut short");
    expect(await refusalOf(gzipSync(tar.subarray(0, endMark)), "tar.gz")).toContain("cut short");
  });

  it("a gzip whose checksum is wrong", async () => {
    const packed = await archiveWith("tar.gz", [["a", "a"]]);
    packed.writeUInt32LE(1, packed.length - 8);
    expect(await refusalOf(packed, "tar.gz")).toContain("cannot be read");
  });
});

it("a gzip with something else than zeros behind it is refused, as gzip itself warns of it", async () => {
  const packed = await archiveWith("tar.gz", [["a", "a"]]);
  expect(await refusalOf(Buffer.concat([packed, Buffer.from("garbage")]), "tar.gz")).toContain("cannot be read");
});

describe("a zip is refused for", () => {
  const entries: [string, ZipEntry, string][] = [
    ["a symlink", { name: "a", content: "/etc/passwd", mode: 0o120777 }, "symlink"],
    ["a fifo", { name: "a", mode: 0o010644 }, "a device or of an unknown kind"],
    ["a device", { name: "a", mode: 0o020644 }, "a device or of an unknown kind"],
    ["a socket", { name: "a", mode: 0o140644 }, "a device or of an unknown kind"],
    ["an encrypted file", { name: "a", content: "a", flags: 0x1 }, "encrypted"],
    ["strong encryption", { name: "a", flags: 0x41 }, "encryption"],
    ["a method that is not supported", { name: "a", method: 12 }, "unsupported compression method: 12"],
    ["no name", { name: "" }, "has no name"],
    ["a name with NUL", { name: "a\0b" }, "control character"],
    ["a name that is not UTF-8", { name: Buffer.from([0x61, 0xff]) }, "not UTF-8"],
    ["a wrong checksum", { name: "a", content: "a", crc: 1 }, "checksum is wrong"],
    ["a wrong checksum of a stored file", { name: "a", content: "a", method: 0, crc: 1 }, "checksum is wrong"],
    ["more bytes than it claims", { name: "a", content: "ab", size: 1 }, "cannot be read"],
    ["fewer bytes than it claims", { name: "a", content: "ab", size: 3 }, "cannot be read"],
    ["many more bytes than it claims", { name: "a", content: "a".repeat(400_000), size: 300_000 }, "cannot be read"],
    ["invalid deflated data", { name: "a", content: "\xff\xff", crc: 0 }, "wrong"],
  ];
  it.each(entries)("%s", async (_, entry, why) => {
    expect(await refusalOf(zipOf([{ name: "good" }, entry]), "zip")).toContain(why);
  });

  it("an invalid local header", async () => {
    const zip = zipOf([{ name: "a" }]);
    zip.writeUInt32LE(0, 0);
    expect(await refusalOf(zip, "zip")).toContain("local file header");
  });
});

it.each(formats)("a file that cannot be read is no fault of the archive: %s", async (format) => {
  await expect(checkArchiveAndListDigests(join(temporaryFolder(), "missing"), format)).rejects.toMatchObject({
    code: "ENOENT",
  });
  await expect(checkArchiveAndListDigests(temporaryFolder(), format)).rejects.toMatchObject({ code: "EISDIR" });
});

/** Changes the first header of a tar, and sets the header's checksum to the right value. */
function changedHeader(tar: Buffer, change: (header: Buffer) => void): Buffer {
  const header = tar.subarray(0, 512);
  change(header);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return tar;
}

const skippable = Buffer.from("5a2a4d1803000000616263", "hex");
const frameOf = (content: string | Buffer) => zstdCompressSync(content);

describe("a .tar.zst is never read in part:", () => {
  // Before version 26, Node.js reads only the first compressed frame.
  const isWhole = Number.parseInt(process.versions.node, 10) >= 26;

  it.each<[string, boolean, (frame: Buffer) => Buffer[]]>([
    ["another frame behind the first one", isWhole, (frame) => [frame, frameOf("")]],
    ["a frame to skip before it", isWhole, (frame) => [skippable, frame]],
    ["bytes that are no frame behind it", false, (frame) => [frame, Buffer.from("junk".repeat(10))]],
  ])("%s (whole: %s)", async (_, isRead, parts) => {
    const file = archiveFile(Buffer.concat(parts(frameOf(await archiveWith("tar", [["a", "a"]])))));
    const read = checkArchiveAndListDigests(file, "tar.zst").then((files) => files.map(({ path }) => path));
    await (isRead ? expect(read).resolves.toEqual(["a"]) : expect(read).rejects.toThrow("must be one frame"));
  });

  const mebibyte = 1024 ** 2;
  const many = (piece: Buffer) => Buffer.concat(Array(Math.floor(mebibyte / piece.length)).fill(piece));

  it.each([
    ["empty frames", "must be one frame", many(frameOf(""))],
    ["frames of one byte", "must be one frame", many(frameOf("a"))],
    ["frames to skip", "must be one frame", many(skippable)],
    [
      "empty blocks",
      "is cut short",
      Buffer.concat([frameOf("").subarray(0, 6), Buffer.alloc(mebibyte * 3), Buffer.from([1, 0, 0])]),
    ],
  ])("many %s, which do not delay the run", async (_, why, archive) => {
    expect(await refusalOf(archive, "tar.zst")).toContain(why);
  });
});
