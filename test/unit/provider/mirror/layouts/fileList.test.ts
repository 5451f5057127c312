import { expect, it } from "vitest";
import { readFileList } from "../../../../../provider/mirror/layouts/fileList";
import type { FileOrObjectStore } from "../../../../../provider/storage/store";
import { runSource } from "../../../../support/fixtures/runSource";

/** A program that reads the largest allowed lists of files. Its process has little more memory than the lists need. */
const script = `
  const { readFileList, maxListBytes } = require("./provider/mirror/layouts/fileList.ts");
  const fill = (unit, bytes = maxListBytes) => unit.repeat(bytes / unit.length);
  const texts = {
    "empty objects": () => '{"files":[' + fill("{},") + "{}]}",
    "short paths": () => '{"pending":[' + fill('"a",') + '"a"]}',
    "arrays in arrays": () => fill("[", maxListBytes / 2) + fill("]", maxListBytes / 2),
    fields: () => "{" + fill('"a":1,') + '"a":1}',
  };
  let parsed = 0;
  const { parse } = JSON;
  JSON.parse = (...given) => {
    parsed += String(given[0]).length > 1_000_000 ? 1 : 0;
    return parse(...given);
  };
  void (async () => {
    for (const [name, text] of Object.entries(texts)) {
      console.log(name, await readFileList({ read: async () => text() }, "list"), parsed);
    }
  })();
`;

it("a list of files that is full of parts is not even parsed, which would block the process and fill its memory", async () => {
  const { ended } = runSource(script, [], { NODE_OPTIONS: "--max-old-space-size=200" });
  const kinds = ["empty objects", "short paths", "arrays in arrays", "fields"];
  expect((await ended).output.split("\n")).toEqual([...kinds.map((kind) => `${kind} unreadable 0`), ""]);
});

const hex = "0".repeat(64);
const fileAt = (path: string) => ({ path, sizeBytes: 1, sha256: hex, revision: "1" });
const listOf = (fields: object) => {
  const facts = { jobId: "job-1", version: "job-1", owner: "", format: "zip", sha256: hex, sizeBytes: 1 };
  const times = { mirroredAt: "2026-03-01T00:00:00.000Z", tool: "x", seals: [] };
  const read = async () => JSON.stringify({ ...facts, ...times, files: [], ...fields });
  return readFileList({ read } as Partial<FileOrObjectStore> as FileOrObjectStore, "list");
};

it.each([
  { sha256: "0" },
  { files: [{ ...fileAt("a"), sha256: "0" }] },
  ...["../../etc", "/etc", "a//b", "a/./b", "a\\b", "a\nb", ""].flatMap((path) => [
    { files: [fileAt(path)] },
    { pending: [path] },
  ]),
])("a list that no mirror writes, or with a path that leads elsewhere, is unreadable: %j", async (fields) => {
  expect(await listOf(fields)).toBe("unreadable");
});

it("the list of as many files as an archive may hold is read", async () => {
  const files = Array.from({ length: 100_000 }, (_, at) => fileAt(`[a]/{b}/${at}`));
  expect(await listOf({ files })).toMatchObject({ jobId: "job-1", files: expect.any(Array) });
});
