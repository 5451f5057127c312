import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DownloadError } from "../../../../provider/support/errors";
import { systemClock } from "../../../../provider/support/time/clock";
import { rejection } from "../../../support/clientUnderTest";
import { planned, unchanged } from "../../../support/decisions";
import type { Reply } from "../../../support/loopback";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { filesIn, gzipLike, storage } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { toldByHost } from "../../../support/toldByHost";

const { bundleMirror } = toldByHost;

afterEach(() => vi.unstubAllEnvs());

const bytes = gzipLike(30_000);
const chunk = gzipLike(64 * 1024);

/** Never ends, and gives no length. */
const endless: Reply = async (response) => {
  response.writeHead(200);
  while (!response.destroyed) {
    response.write(chunk);
    await sleep(1);
  }
};

/** Gives a length, and sends a few bytes at a time without reaching it. */
const drip: Reply = async (response) => {
  response.writeHead(200, { "content-length": String(bytes.length) });
  for (let at = 0; !response.destroyed; at += 10) {
    response.write(bytes.subarray(at, at + 10));
    await sleep(50);
  }
};

describe.each(["archive", "site"] as const)("a transfer to a mirror of layout %s", (layout) => {
  /**
   * Returns the error of a create with these answers of the storage. No file may be left, neither at the destination
   * nor on the way.
   */
  async function failed(reply: Reply, limits: object): Promise<string> {
    const world = await mirrorWorld([reply]);
    const temporary = temporaryFolder();
    vi.stubEnv("TMPDIR", temporary);
    const inputs = { ...world.inputs, layout, ...limits };
    const context = { ...world.context, clock: systemClock };
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(DownloadError);
    expect([filesIn(world.folder), readdirSync(temporary)]).toEqual([[], []]);
    return error.message;
  }

  it("that never ends is given up at maxBytes", async () => {
    expect(await failed(endless, { maxBytes: 3_000_000 })).toContain("larger than maxBytes (3000000 bytes)");
  });

  it("that tells a larger size is not begun", async () => {
    expect(await failed(storage(bytes), { maxBytes: 29_999 })).toContain("larger than maxBytes (29999 bytes)");
  });

  it.each<[string, Reply]>([
    ["drips", drip],
    ["never ends", endless],
    [
      "is silent",
      (response) => void response.writeHead(200, { "content-length": "900" }).write(bytes.subarray(0, 300)),
    ],
  ])("that %s is given up after waitTimeout", async (_, reply) => {
    const begin = Date.now();
    expect(await failed(reply, { waitTimeout: "800ms" })).toContain("longer than waitTimeout (800ms)");
    expect(Date.now() - begin).toBeLessThan(20_000);
  });
});

describe("a transfer within its limits", () => {
  it("is not repeated where the limits change alone, also to less than the archive has", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const inputs = { ...world.inputs, maxBytes: 1, waitTimeout: "1s" };
    expect(planned("BundleMirror", state, inputs, 0)).toEqual({ ...unchanged, action: "update" });
    const updated = await bundleMirror.update("id", state, inputs, world.context);
    expect(updated).toEqual({ ...state, maxBytes: 1, waitTimeout: "1s" });
    expect(world.server.requests).toHaveLength(1);
  });
});
