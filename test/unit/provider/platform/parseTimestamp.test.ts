import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTimestamp } from "../../../../provider/platform/parseTimestamp";
import { formatIsoTime } from "../../../../provider/support/time/duration";

const expected = Date.parse("2026-01-31T10:00:00Z");

describe("parseTimestamp on a machine that is not in UTC", () => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = "America/New_York";
  });
  afterEach(() => {
    if (before === undefined) {
      delete process.env.TZ;
    } else {
      process.env.TZ = before;
    }
  });

  it.each([
    ["ISO with Z", "2026-01-31T10:00:00Z"],
    ["ISO with milliseconds", "2026-01-31T10:00:00.000Z"],
    ["ISO with nanoseconds", "2026-01-31T10:00:00.000000000Z"],
    ["ISO with +02:00", "2026-01-31T12:00:00+02:00"],
    ["ISO with +0200", "2026-01-31T12:00:00+0200"],
    ["ISO with -05:30", "2026-01-31T04:30:00-05:30"],
    ["ISO with hours alone as the offset", "2026-01-31T12:00:00+02"],
    ["ISO without an offset, as UTC", "2026-01-31T10:00:00"],
    ["ISO without an offset, with a fraction", "2026-01-31T10:00:00.000000"],
    ["ISO without seconds", "2026-01-31T10:00"],
    ["a blank in place of T", "2026-01-31 10:00:00"],
    ["a blank in place of T, with Z", "2026-01-31 10:00:00Z"],
    ["a blank in place of T, with an offset", "2026-01-31 12:00:00+02:00"],
    ["a blank in place of T, with an offset without colon", "2026-01-31 12:00:00+0200"],
    ["a blank before the offset too", "2026-01-31 12:00:00 +0200"],
    ["a zone in words", "2026-01-31 10:00:00 UTC"],
    ["epoch seconds", expected / 1_000],
    ["epoch milliseconds", expected],
    ["epoch seconds as digits", String(expected / 1_000)],
    ["epoch milliseconds as digits", String(expected)],
    ["epoch seconds with a fraction, as digits", `${expected / 1_000}.0`],
    ["epoch microseconds", expected * 1_000],
    ["epoch microseconds as digits", `${expected}000`],
    ["epoch nanoseconds", expected * 1_000_000],
    ["epoch nanoseconds as digits", `${expected}000000`],
    ["seconds in an object", { seconds: expected / 1_000, nanos: 0 }],
    ["seconds in an object, as digits", { _seconds: String(expected / 1_000) }],
    ["the basic form of ISO", "20260131T100000Z"],
    ["the basic form of ISO with an offset", "20260131T120000+0200"],
    ["an HTTP date", "Sat, 31 Jan 2026 10:00:00 GMT"],
    ["an HTTP date with an offset", "Sat, 31 Jan 2026 12:00:00 +0200"],
    ["blanks around it", "  2026-01-31T10:00:00Z\n"],
  ])("reads %s", (_, value) => {
    expect(parseTimestamp(value)).toBe(expected);
  });

  it("reads a day alone as its beginning in UTC", () => {
    expect(parseTimestamp("2026-01-31")).toBe(Date.parse("2026-01-31T00:00:00Z"));
  });

  it("reads the end of time, by which some platforms mean never, in every unit", () => {
    const end = Date.parse("9999-12-31T23:59:59Z");
    for (const value of [end / 1_000, end, end * 1_000, "9999-12-31T23:59:59Z"]) {
      expect(parseTimestamp(value)).toBe(end);
    }
  });

  it.each([
    undefined,
    null,
    true,
    {},
    { seconds: {} },
    { _seconds: null, seconds: [] },
    { nanos: 5 },
    [],
    ["2026-01-31T10:00:00Z"],
    "",
    " ",
    "soon",
    "never",
    "in 3600 seconds",
    "valid until 2026",
    "version 2026",
    "10:00",
    "12",
    "2026-13-41T10:00:00Z",
    "2026-01-31T25:00:00Z",
    "Jan 31 2026 10:00",
    "1/31/2026",
    "0001-01-01T00:00:00Z",
    "0001-01-01 00:00:00",
    "1900-01-01T00:00:00",
    "0000-00-00 00:00:00",
    "1970-01-01T00:00:00Z",
    { seconds: -62_135_596_800, nanos: 0 },
    -62_135_596_800_000,
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
  ])("finds no time in %j", (value) => {
    expect(parseTimestamp(value)).toBeUndefined();
  });
});

it("reads back what isoTime wrote", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("2002-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }), (date) => {
      expect(parseTimestamp(formatIsoTime(date.getTime()))).toBe(date.getTime());
      expect(parseTimestamp(date.getTime())).toBe(date.getTime());
      expect(parseTimestamp(date.toUTCString())).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
    }),
    { numRuns: 300, seed: 9 },
  );
});
