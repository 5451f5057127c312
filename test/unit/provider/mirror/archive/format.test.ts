import { expect, it } from "vitest";
import { detectFormat, formatBytes } from "../../../../../provider/mirror/archive/format";
import { zipOf } from "../../../../support/zipWriter";
import { archiveWith, formats, tarOf } from "./archives";

it.each(formats)("a %s is known by its first bytes alone", async (format) => {
  const archive = await archiveWith(format, [["index.html", "a"]]);
  expect(detectFormat(archive.subarray(0, formatBytes))).toBe(format);
});

it("a zstd that begins with a frame to skip is one", () => {
  expect(detectFormat(Buffer.from("502a4d1800000000", "hex"))).toBe("tar.zst");
  expect(detectFormat(Buffer.from("5f2a4d1800000000", "hex"))).toBe("tar.zst");
});

it("an empty zip is a zip", () => {
  expect(detectFormat(zipOf([]))).toBe("zip");
});

it.each([
  ["nothing", Buffer.alloc(0)],
  ["one byte of a gzip", Buffer.from([0x1f])],
  ["a page", Buffer.from("<!doctype html>".repeat(40))],
  ["zeros", Buffer.alloc(formatBytes)],
])("%s is none of the formats", (_, bytes) => {
  expect(detectFormat(bytes)).toBeUndefined();
});

it("a tar is known from exactly as many bytes as are asked for, and from no fewer", async () => {
  const tar = await tarOf([{ name: "a" }]);
  expect(detectFormat(tar.subarray(0, formatBytes))).toBe("tar");
  expect(detectFormat(tar.subarray(0, formatBytes - 1))).toBeUndefined();
});
