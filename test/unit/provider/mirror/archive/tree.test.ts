import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../../../provider/mirror/archive/readArchive";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { zipOf } from "../../../../support/zipOf";
import { archiveFile, archiveWith, type Files, filesInArchive, formats, refusalOf, tarOf } from "./archives";

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
});

describe.each(formats)("a %s", (format) => {
  it("gives the next file whole where the one before was not read", async () => {
    const large = "0123456789".repeat(200_000);
    const archive = archiveFile(
      await archiveWith(
        format,
        ["a", "b", "c", "d"].map((path) => [path, large]),
      ),
    );
    const read: Record<string, number> = {};
    for await (const { path, content } of readArchive(archive, format)) {
      if (path === "b" || path === "d") {
        read[path] = (await buffer(content)).length;
      }
    }
    expect(read).toEqual({ b: large.length, d: large.length });
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

it("zeros behind a tar, or behind its gzip, are skipped, and anything else there is refused", async () => {
  const tar = await archiveWith("tar", [["a", "a"]]);
  const padded = Buffer.concat([tar, Buffer.alloc(9_216)]);
  expect(await filesInArchive(archiveFile(padded), "tar")).toEqual([["a", "a"]]);
  const gzip = Buffer.concat([gzipSync(padded), Buffer.alloc(9_000)]);
  expect(await filesInArchive(archiveFile(gzip), "tar.gz")).toEqual([["a", "a"]]);
  expect(await refusalOf(Buffer.concat([tar, Buffer.from("garbage".repeat(500))]), "tar")).toContain("cannot be read");
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
