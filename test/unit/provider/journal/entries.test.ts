import { describe, expect, it } from "vitest";
import { readEntries } from "../../../../provider/journal/entries";
import { type Journal, journalEntryName, startName } from "../../../../provider/journal/journal";
import { sleep } from "../../../../provider/support/abort";
import { rejection } from "../../../support/clientUnderTest";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const start = startName("urn", {});
const named = (count: number) =>
  Array.from({ length: count }, (_, at) => journalEntryName(start, at.toString(16).padStart(12, "0")));

/** A journal whose every entry is read in some milliseconds. */
function slowJournal(milliseconds: number) {
  const journal = {
    place: "x",
    isRemote: true,
    reads: 0,
    list: async () => [],
    async read() {
      journal.reads += 1;
      await sleep(milliseconds);
      return JSON.stringify({ intendedAt: 0, idempotencyKey: "key", owner });
    },
    write: async () => {},
    remove: async () => {},
  };
  return journal satisfies Journal;
}

describe("the entries of one start", () => {
  it("are read within the limit of a journal as a whole, however many and slow they are", async () => {
    for (const milliseconds of [20, 500]) {
      const journal = slowJournal(milliseconds);
      const error = await rejection(readEntries(journal, named(1_000), 0, 200));
      expect(error.message).toContain("its entries could not be read within 200ms");
      expect(journal.reads).toBeLessThanOrEqual(200 / milliseconds + 2);
    }
  });
});
