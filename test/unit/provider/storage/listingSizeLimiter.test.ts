import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileStore } from "../../../../provider/storage/file/store";
import { type ObjectPage, type ObjectStorageClient, ObjectStore } from "../../../../provider/storage/objectStore";
import { DestinationError } from "../../../../provider/support/errors";
import { never, rejection } from "../../../support/clientUnderTest";
import { campaignSeed } from "../../../support/random";
import { replaceInBuiltin } from "../../../support/replaceInBuiltin";

function endless(count: number, length: number) {
  const seen = { pages: 0, names: 0 };
  const list = async (): Promise<ObjectPage> => {
    seen.pages += 1;
    const name = `${seen.pages}`.padEnd(length, "n");
    return { objects: Array(count).fill([name, { sizeBytes: 0, revision: "" }]), token: "more" };
  };
  const client = {
    place: "the bucket docs",
    list,
    isMissing: () => false,
    close() {},
  } as Partial<ObjectStorageClient> as ObjectStorageClient;
  return { store: new ObjectStore(client, { signal: never }), seen };
}

async function readAll(names: AsyncIterable<string>, seen: { names: number }): Promise<void> {
  for await (const _ of names) {
    seen.names += 1;
  }
}

describe("a listing", () => {
  it.each([
    ["pages", 0, 1],
    ["names", 1_000, 10],
    ["characters", 1_000, 1_000],
  ])("without an end ends by an error that names the place and its %s", async (what, count, length) => {
    const { store, seen } = endless(count, length);
    const error = await rejection(readAll(store.list(), seen));
    expect(error).toBeInstanceOf(DestinationError);
    expect(error.message).toMatch(
      new RegExp(`the bucket docs lists more than \\d+ ${what}.* a prefix of its own`, "s"),
    );
  });

  it("asks for at most 500 pages, and passes on at most 250,000 names and 32 MiB of them, whatever a page holds", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(2_000), fc.integer({ min: 1, max: 10_000 }), async (count, length) => {
        const { store, seen } = endless(count, length);
        await rejection(readAll(store.list(), seen));
        expect(seen.pages).toBeLessThanOrEqual(500);
        expect(seen.names).toBeLessThanOrEqual(250_000);
        expect(seen.names * length).toBeLessThanOrEqual(32 * 1024 ** 2);
      }),
      { seed: campaignSeed(), numRuns: 10 },
    ));

  it("has the same limits in a folder", async () => {
    const seen = { names: 0 };
    async function* entries() {
      for (;;) {
        seen.names += 1;
        yield { name: "n".repeat(200), isDirectory: () => false };
      }
    }
    replaceInBuiltin("node:fs/promises", () => ({ opendir: async () => entries() }));
    const store = new FileStore({ kind: "file", folder: "/sys" }, never);
    const { message } = await rejection(readAll(store.list(), { names: 0 }));
    store.close();
    expect(message).toContain("the folder /sys lists more than 33554432 characters");
    expect(seen.names).toBeLessThanOrEqual(250_000);
  });
});
