import { describe, expect, it } from "vitest";
import {
  dropEntries,
  type Journal,
  journalEntryName,
  readEntries,
  startEntryPrefix,
} from "../../../../provider/journal/journal";
import { sleep } from "../../../../provider/support/abort";
import { rejection } from "../../../support/clientUnderTest";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const start = startEntryPrefix("urn", {});
const named = (count: number) =>
  Array.from({ length: count }, (_, at) => journalEntryName(start, at.toString(16).padStart(12, "0")));

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

/** @param stuck the name of an entry that cannot be removed. */
function journalOf(startTimesByName: Record<string, number>, stuck = ""): Journal & { left(): string[] } {
  const there = new Map(Object.entries(startTimesByName));
  return {
    place: "x",
    isRemote: false,
    left: () => [...there.keys()],
    list: async () => [...there.keys()],
    read: async (name) => {
      const intendedAt = there.get(name);
      return intendedAt === undefined ? undefined : JSON.stringify({ intendedAt, idempotencyKey: "key", owner });
    },
    write: async () => {},
    async remove(name) {
      if (name === stuck) {
        throw new Error("not permitted");
      }
      there.delete(name);
    },
  };
}

describe("the entries of one start", () => {
  it("are found the oldest first, and those of one time by name; one that is gone or a week old is none", async () => {
    const week = 7 * 86_400_000;
    const [a = "", b = "", c = "", old = "", gone = ""] = named(5);
    const journal = journalOf({ [c]: week, [b]: week, [a]: week + 1, [old]: 1 });
    const { found } = await readEntries(journal, [a, c, b, old, gone], week + 1);
    expect(found.map(({ name, intendedAt }) => [name, intendedAt])).toEqual([
      [b, week],
      [c, week],
      [a, week + 1],
    ]);
  });

  it("are removed together, and one that cannot be removed keeps no other", async () => {
    const [a = "", b = "", c = ""] = named(3);
    const journal = journalOf({ [a]: 1, [b]: 2, [c]: 3 }, a);
    await dropEntries(journal, a, b);
    expect(journal.left()).toEqual([a, c]);
  });

  it("are read within the limit of a journal as a whole, however many and slow they are", async () => {
    for (const milliseconds of [20, 500]) {
      const journal = slowJournal(milliseconds);
      const error = await rejection(readEntries(journal, named(1_000), 0, 200));
      expect(error.message).toContain("its entries could not be read within 200ms");
      expect(journal.reads).toBeLessThanOrEqual(200 / milliseconds + 2);
    }
  });
});
