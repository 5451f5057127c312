import { afterEach, expect, it, vi } from "vitest";
import { getManifest, maxManifestBytes } from "../../../../../provider/mirror/layouts/manifest";
import type { Store } from "../../../../../provider/storage/store";

afterEach(() => vi.restoreAllMocks());

const fill = (unit: string, bytes = maxManifestBytes) => unit.repeat(bytes / unit.length);
const listed = (text: string) => getManifest({ read: async () => text } as Partial<Store> as Store, "list");

it.each([
  ["empty objects", () => `{"files":[${fill("{},")}{}]}`],
  ["short paths", () => `{"pending":[${fill('"a",')}"a"]}`],
  ["arrays in arrays", () => fill("[", maxManifestBytes / 2) + fill("]", maxManifestBytes / 2)],
  ["fields", () => `{${fill('"a":1,')}"a":1}`],
])("a list of files that is full of %s is not even parsed, which would hold the process", async (_, text) => {
  const parse = vi.spyOn(JSON, "parse");
  expect(await listed(text())).toBe("unreadable");
  expect(parse).not.toHaveBeenCalled();
});

it("the list of as many files as an archive may hold is read", async () => {
  const hex = "0".repeat(64);
  const files = Array.from({ length: 100_000 }, (_, at) => ({
    path: `[a]/{b}/${at}`,
    sizeBytes: 1,
    sha256: hex,
    revision: "1",
  }));
  const facts = { jobId: "job-1", version: "job-1", owner: "", format: "zip", sha256: hex, sizeBytes: 1 };
  const manifest = { ...facts, mirroredAt: "2026-03-01T00:00:00.000Z", tool: "x", seals: [], files };
  expect(await listed(JSON.stringify(manifest))).toMatchObject({ jobId: "job-1", files: expect.any(Array) });
});
