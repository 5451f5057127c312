import { describe, expect, it } from "vitest";
import { createProgressReporter, formatSize } from "../../../../../provider/mirror/transfer/transferProgress";
import { FakeClock } from "../../../../support/fakeClock";

const mebibyte = 1024 ** 2;

function progressOf(expectedBytes: number | undefined) {
  const clock = new FakeClock();
  const texts: string[] = [];
  const show = (text: string) => texts.push(text);
  return { clock, texts, report: createProgressReporter("mirroring", expectedBytes, () => clock.now(), show) };
}

describe("the progress of a transfer", () => {
  it("shows bytes, share, rate and time left", () => {
    const { clock, texts, report } = progressOf(100 * mebibyte);
    clock.pass(2_000);
    report(20 * mebibyte);
    expect(texts).toEqual(["20 % 8s left, 20 MiB of 100 MiB, 10 MiB/s, mirroring"]);
  });

  it("shows bytes and rate where the whole is not known", () => {
    const { clock, texts, report } = progressOf(undefined);
    clock.pass(500);
    report(mebibyte);
    expect(texts).toEqual(["1.0 MiB, 2.0 MiB/s, mirroring"]);
  });

  it("shows at most four times a second, however many chunks there are", () => {
    const { clock, texts, report } = progressOf(1_000);
    for (let bytes = 1; bytes <= 1_000; bytes++) {
      report(bytes);
      clock.pass(1);
    }
    expect(texts).toHaveLength(4);
  });
});

describe("a size for a person", () => {
  it.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_024, "1.0 KiB"],
    [1_536, "1.5 KiB"],
    [10 * 1_024, "10 KiB"],
    [1_024 ** 2, "1.0 MiB"],
    [2.5 * 1_024 ** 3, "2.5 GiB"],
    [5_000 * 1_024 ** 4, "5000 TiB"],
  ])("%i is %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});
