import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf } from "../../../../provider/support/parts";
import { gzipLike } from "../../../support/mirror/storage";

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe("the parts of an object", () => {
  it("are all of one size but the last, contain every byte in order, and end with the one that is marked", async () => {
    const cases = fc.record({
      total: fc.integer({ min: 0, max: 500 }),
      part: fc.integer({ min: 1, max: 60 }),
      sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      known: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ total, part, sizes, known }) => {
        const bytes = gzipLike(Math.max(2, total)).subarray(0, total);
        const got: Buffer[] = [];
        const marks: boolean[] = [];
        for await (const each of partsOf(chunksOf(bytes, sizes), part, known ? total : undefined)) {
          got.push(Buffer.from(each.bytes));
          marks.push(each.last);
          each.release();
        }
        expect(Buffer.concat(got).equals(bytes)).toBe(true);
        expect(got.slice(0, -1).every((each) => each.length === part)).toBe(true);
        expect(got.at(-1)?.length).toBeLessThanOrEqual(part);
        expect(marks.indexOf(true)).toBe(marks.length - 1);
      }),
      { seed: 20261121 },
    );
  });

  it("use a buffer again once it was given back, and no other before", async () => {
    const buffers = new Set<ArrayBufferLike>();
    const held: (() => void)[] = [];
    for await (const part of partsOf(chunksOf(gzipLike(1_000), [100]), 50, undefined)) {
      buffers.add(part.bytes.buffer);
      held.push(part.release);
      if (held.length === 3) {
        held.shift()?.();
      }
    }
    expect(buffers.size).toBe(3);
  });

  it("end without a last one where the content breaks", async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield gzipLike(100);
      throw new Error("broken");
    }
    const marks: boolean[] = [];
    const reading = async () => {
      for await (const { last } of partsOf(broken(), 30, undefined)) {
        marks.push(last);
      }
    };
    await expect(reading()).rejects.toThrow("broken");
    expect(marks).toEqual([false, false, false]);
  });
});
