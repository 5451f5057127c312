import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../../../provider/mirror/archive/readArchive";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { zipOf } from "../../../../support/zipWriter";
import { archiveFile, archiveWith, type Files, filesInArchive, formats, packedAs, tarOf } from "./archives";

const site: Files = [
  ["index.html", "<h1>Start</h1>"],
  ["guide/größe.html", "x".repeat(300_000)],
  ["guide/empty.html", ""],
  [`${"deep-deep/".repeat(20)}${"n".repeat(120)}.html`, "deep"],
];
const sorted = (files: Files) => files.toSorted(([a], [b]) => (a < b ? -1 : 1));

function siteFolder(): string {
  const folder = temporaryFolder();
  for (const [path, content] of site) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

describe("what other tools pack is read as it was", () => {
  it.each(["gnu", "pax", "ustar"])("tar, format %s, also packed by gzip", async (kind) => {
    const files = kind === "ustar" ? site.slice(0, 3) : site;
    const paths = files.map(([path]) => `./${path}`);
    const tar = execFileSync("tar", ["-c", `--format=${kind}`, ...paths], { cwd: siteFolder() });
    expect(await filesInArchive(archiveFile(tar), "tar")).toEqual(files);
    expect(await filesInArchive(archiveFile(gzipSync(tar)), "tar.gz")).toEqual(files);
  });

  it.each([["-0"], ["-9"]])("zip %s", async (level) => {
    const folder = siteFolder();
    execFileSync("zip", ["-qr", level, join(folder, "site.zip"), "."], { cwd: folder });
    expect(sorted(await filesInArchive(join(folder, "site.zip"), "zip"))).toEqual(sorted(site));
  });

  it("a zip that was written to a pipe, with the sizes behind the data", async () => {
    const folder = siteFolder();
    const zip = execFileSync("sh", ["-c", "zip -qr - . | cat"], { cwd: folder });
    expect(sorted(await filesInArchive(archiveFile(zip), "zip"))).toEqual(sorted(site));
  });

  it("python's tarfile and zipfile", async () => {
    const folder = siteFolder();
    const script = [
      "import shutil, sys",
      "shutil.make_archive('/'.join([sys.argv[2], 'site']), 'gztar', sys.argv[1])",
      "shutil.make_archive('/'.join([sys.argv[2], 'site']), 'zip', sys.argv[1])",
    ].join("\n");
    const target = temporaryFolder();
    execFileSync("python3", ["-c", script, folder, target]);
    expect(sorted(await filesInArchive(join(target, "site.tar.gz"), "tar.gz"))).toEqual(sorted(site));
    expect(sorted(await filesInArchive(join(target, "site.zip"), "zip"))).toEqual(sorted(site));
  });
});

describe.each(formats)("a %s", (format) => {
  it("keeps the archive's order and the folder around everything", async () => {
    const files: Files = [
      ["site/b.html", "b"],
      ["site/a.html", "a"],
    ];
    expect(await filesInArchive(archiveFile(await archiveWith(format, files)), format)).toEqual(files);
  });

  it("of no file is read as one", async () => {
    expect(await filesInArchive(archiveFile(await archiveWith(format, [])), format)).toEqual([]);
  });

  it("gives the next file whole, whatever was read of the one before", async () => {
    const large = "0123456789".repeat(200_000);
    const files: Files = ["unread", "destroyed", "begun", "whole"].map((path) => [path, large]);
    const lengths: Record<string, number> = {};
    for await (const { path, stream } of readArchive(archiveFile(await archiveWith(format, files)), format)) {
      lengths[path] = 0;
      if (path === "destroyed") {
        stream.destroy();
      }
      if (path === "begun" || path === "whole") {
        for await (const chunk of stream) {
          lengths[path] += chunk.length;
          if (path === "begun") {
            break;
          }
        }
      }
    }
    expect(lengths).toMatchObject({ unread: 0, destroyed: 0, whole: large.length });
    expect(lengths.begun).toBeGreaterThan(0);
    expect(lengths.begun).toBeLessThan(large.length);
  });

  it("may be left in the middle of a file", async () => {
    const file = archiveFile(
      await archiveWith(format, [
        ["a", "a".repeat(1_000_000)],
        ["b", "b"],
      ]),
    );
    const seen: string[] = [];
    for await (const { path, stream } of readArchive(file, format)) {
      seen.push(path);
      for await (const _ of stream) {
        break;
      }
      break;
    }
    expect(seen).toEqual(["a"]);
  });
});

it("folders are left out, told by their type or by a slash", async () => {
  const tar = await tarOf([
    { name: "./", type: "directory" },
    { name: "a", type: "directory" },
    { name: "old/" },
    { name: "a/b" },
  ]);
  expect(await filesInArchive(archiveFile(tar), "tar")).toEqual([["a/b", ""]]);
  const zip = zipOf([
    { name: "a/", mode: 0o040755 },
    { name: "old/", mode: 0 },
    { name: "a/b", mode: 0 },
  ]);
  expect(await filesInArchive(archiveFile(zip), "zip")).toEqual([["a/b", ""]]);
});

it("what stands behind the end mark of a tar is no part of it, nor are zeros behind a gzip", async () => {
  const tar = await archiveWith("tar", [["a", "a"]]);
  const more = await archiveWith("tar", [["b", "b"]]);
  const garbage = Buffer.from("garbage".repeat(500));
  for (const behind of [garbage, more, Buffer.alloc(9_000)]) {
    expect(await filesInArchive(archiveFile(Buffer.concat([tar, behind])), "tar")).toEqual([["a", "a"]]);
    expect(await filesInArchive(archiveFile(gzipSync(Buffer.concat([tar, behind]))), "tar.gz")).toEqual([["a", "a"]]);
  }
  const padded = Buffer.concat([gzipSync(tar), Buffer.alloc(9_000)]);
  expect(await filesInArchive(archiveFile(padded), "tar.gz")).toEqual([["a", "a"]]);
});

it("a gzip of several members is one tar", async () => {
  const tar = await archiveWith("tar", [
    ["a", "a"],
    ["b", "b"],
  ]);
  const members = [tar.subarray(0, 700), tar.subarray(700)].map((part) => gzipSync(part));
  expect(await filesInArchive(archiveFile(Buffer.concat(members)), "tar.gz")).toEqual([
    ["a", "a"],
    ["b", "b"],
  ]);
});

it("a zstd of several frames is one tar, and skippable frames are skipped", async () => {
  const tar = await archiveWith("tar", [
    ["a", "a"],
    ["b", "b".repeat(400_000)],
  ]);
  const skippable = Buffer.from("5a2a4d1803000000616263", "hex");
  const [first, ...others] = [tar.subarray(0, 700), tar.subarray(700, 700), tar.subarray(700)].map((part) =>
    zstdCompressSync(part),
  ) as [Buffer, Buffer, Buffer];
  for (const frames of [
    [first, ...others],
    [skippable, first, skippable, ...others, skippable],
  ]) {
    expect(await filesInArchive(archiveFile(Buffer.concat(frames)), "tar.zst")).toEqual([
      ["a", "a"],
      ["b", "b".repeat(400_000)],
    ]);
  }
});

it("an xz of several streams is one tar", async () => {
  const tar = await archiveWith("tar", [["a", "a".repeat(2_000)]]);
  const streams = [tar.subarray(0, 700), tar.subarray(700)].map((part) => packedAs("tar.xz", part));
  expect(await filesInArchive(archiveFile(Buffer.concat(streams)), "tar.xz")).toEqual([["a", "a".repeat(2_000)]]);
});

it("a zip may have a comment, and files that are stored as they are", async () => {
  const zip = zipOf(
    [
      { name: "a", content: "a".repeat(700_000), method: 0 },
      { name: "b", content: "", method: 0 },
    ],
    "packed by hand",
  );
  expect(await filesInArchive(archiveFile(zip), "zip")).toEqual([
    ["a", "a".repeat(700_000)],
    ["b", ""],
  ]);
});

it("a zip's name that is not marked is UTF-8 where it can be, and else of the old code page", async () => {
  const zip = zipOf([
    { name: "größe", flags: 0 },
    { name: Buffer.from([0x46, 0x81, 0xe1, 0x65]), flags: 0 },
  ]);
  expect((await filesInArchive(archiveFile(zip), "zip")).map(([path]) => path)).toEqual(["größe", "Füße"]);
});
