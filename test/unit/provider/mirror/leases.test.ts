import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LeaseHolder, Leases, scopeOf } from "../../../../provider/mirror/leases";
import { FileStore } from "../../../../provider/storage/file/store";
import { systemClock } from "../../../../provider/support/time/clock";
import { never } from "../../../support/clientUnderTest";
import { filesIn } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";

const scope = scopeOf("archive", "job-1");

/** A clock at which no lease is ever renewed. Other rests pass at once, and are counted. */
function stillClock() {
  const clock = {
    machine: "machine",
    rested: 0,
    // It is set an hour ahead all the time.
    now: () => clock.rested * 3_600_000,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms === 10_000) {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
      clock.rested += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}

let ids = 0;

function holder(more: Partial<LeaseHolder> = {}): LeaseHolder {
  const newId = () => (++ids).toString(16).padStart(12, "0");
  return { clock: stillClock(), newId, name: "here 1 1", hasEnded: () => false, ...more };
}

function placeOfTest() {
  const folder = temporaryFolder();
  const leases = (more: Partial<LeaseHolder> = {}) =>
    new Leases(new FileStore({ kind: "file", folder }, never), holder(more));
  return { folder, leases };
}

/** Work that goes on until it is told to end. */
function openWork() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<AbortSignal>();
  const work = async (signal: AbortSignal) => {
    begun.resolve(signal);
    await promise;
  };
  return { work, end, begun: begun.promise };
}

/** Leaves a lease behind, as a killed run does. */
async function leaveLease(leases: Leases): Promise<void> {
  const { work, begun } = openWork();
  void leases.alone(scope, never, work);
  await begun;
}

describe("a lease at a place", () => {
  it("is there while its run works, shows nothing of the machine, and goes with it", async () => {
    const { folder, leases } = placeOfTest();
    const text = await leases().alone(scope, never, async () => {
      const [name = ""] = filesIn(folder);
      return readFileSync(join(folder, name), "utf8");
    });
    expect(JSON.parse(text)).toEqual({ process: "here 1 1", renewals: 0 });
    expect(filesIn(folder)).toEqual([]);
  });

  it("goes also where the work fails", async () => {
    const { folder, leases } = placeOfTest();
    const work = () => Promise.reject(new Error("no"));
    await expect(leases().alone(scope, never, work)).rejects.toThrow("no");
    expect(filesIn(folder)).toEqual([]);
  });

  it.each([
    ["of the same job's archive", "archive", "job-1"],
    ["of a site", "site", "job-2"],
  ] as const)("%s is waited for", async (_, layout, job) => {
    const { leases } = placeOfTest();
    const first = openWork();
    const order: string[] = [];
    const done = leases().alone(scopeOf(layout, job), never, first.work);
    await first.begun;
    const waits = Promise.withResolvers<void>();
    const next = leases({ clock: systemClock }).alone(
      scope,
      never,
      async () => void order.push("second"),
      () => waits.resolve(),
    );
    await waits.promise;
    order.push("first");
    first.end();
    await Promise.all([done, next]);
    expect(order).toEqual(["first", "second"]);
  });

  it("of another job's archive is not waited for", async () => {
    const { leases } = placeOfTest();
    const first = openWork();
    const done = leases().alone(scopeOf("archive", "job-2"), never, first.work);
    await first.begun;
    expect(await leases().alone(scope, never, async () => "at once")).toBe("at once");
    first.end();
    await done;
  });

  it("of a process of this machine that has ended is removed at once", async () => {
    const { folder, leases } = placeOfTest();
    await leaveLease(leases({ name: "here 2 1" }));
    const clock = stillClock();
    const hasEnded = (name: string) => name === "here 2 1";
    await leases({ clock, hasEnded }).alone(scope, never, async () => {});
    expect({ files: filesIn(folder), rested: clock.rested }).toEqual({ files: [], rested: 0 });
  });

  it("of which nothing is known is removed after a minute of looking in which it was not renewed, whatever the clocks say", async () => {
    const { folder, leases } = placeOfTest();
    await leaveLease(leases({ name: "" }));
    const clock = stillClock();
    await leases({ clock }).alone(scope, never, async () => {});
    expect(filesIn(folder)).toEqual([]);
    expect(clock.rested).toBeGreaterThanOrEqual(60_000);
    expect(clock.rested).toBeLessThan(70_000);
  });

  it("is a file of others where its text is not that of a lease: it stays, and is in nobody's way", async () => {
    const { folder, leases } = placeOfTest();
    const name = `.bundle-mirror.${scope}.0123456789ab.lease`;
    writeFileSync(join(folder, name), "mine");
    await leases().alone(scope, never, async () => {});
    expect(filesIn(folder)).toEqual([name]);
  });

  it("that another run has taken away stops the work of its run", async () => {
    const { folder, leases } = placeOfTest();
    const rests: (() => void)[] = [];
    const clock = { ...stillClock(), sleep: () => new Promise<void>((resolve) => rests.push(resolve)) };
    const { work, begun, end } = openWork();
    const done = leases({ clock }).alone(scope, never, work);
    const signal = await begun;
    await new FileStore({ kind: "file", folder }, never).remove(filesIn(folder));
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    rests[0]?.();
    await aborted;
    expect(signal.reason).toMatchObject({ code: "DOCS_DESTINATION" });
    end();
    await done;
    expect(filesIn(folder)).toEqual([]);
  });

  it("is not believed to be alone by a list that lacks the lease itself", async () => {
    const { folder } = placeOfTest();
    const store = new FileStore({ kind: "file", folder }, never);
    let lists = 0;
    const late = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== "list") {
          return typeof value === "function" ? value.bind(target) : value;
        }
        return async function* (begin?: string) {
          if (++lists > 2) {
            yield* target.list(begin);
          }
        };
      },
    });
    await new Leases(late, holder()).alone(scope, never, async () => {});
    expect(lists).toBe(3);
  });
});
