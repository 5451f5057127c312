import { describe, expect, it } from "vitest";
import { readPlatformClock, readRetryPause, retryDelay } from "../../../../provider/platform/answerTimes";
import { parseRetryAfter } from "../../../../provider/support/time/parseRetryAfter";

describe("retryDelay", () => {
  it("is full jitter: from nothing up to a bound that doubles from 500 ms to 20 s", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 20].map((retry) => retryDelay(retry, undefined, () => 1))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000,
    ]);
    expect([0, 0.5].map((share) => retryDelay(3, undefined, () => share))).toEqual([0, 2_000]);
  });

  it("is exactly what the platform asks for, longer or shorter than the own rule", () => {
    expect(retryDelay(9, 0, () => 1)).toBe(0);
    expect(retryDelay(0, 90_000, () => 0)).toBe(90_000);
  });
});

it.each(["Sat, 31 Jan 2026 13:00:00 GMT", "Saturday, 31-Jan-26 13:00:00 GMT"])(
  "the platform's clock is read from the header Date, also in HTTP's old form: %s",
  (date) => {
    const now = Date.parse("2026-01-31T10:00:00Z");
    const answer = { kind: "answer", status: 200, headers: { date }, text: "" } as const;
    expect(readPlatformClock(answer, now, now + 1_000).clockOffset).toBe(3 * 3_600_000);
  },
);

describe("readRetryPause", () => {
  const now = Date.parse("2026-01-31T10:00:00Z");
  const asked = (headers: Record<string, string>, status = 429) =>
    readRetryPause({ kind: "answer", status, headers: { date: new Date(now).toUTCString(), ...headers }, text: "" }, 0);

  it.each([
    ["seconds", { "x-ratelimit-reset": "30" }, 30_000],
    ["a time in seconds", { "x-ratelimit-reset": `${now / 1_000 + 30}` }, 30_000],
    ["a time in milliseconds", { "x-rate-limit-reset": `${now + 30_000}` }, 30_000],
    ["a time that has passed", { "x-ratelimit-reset": `${now / 1_000 - 30}` }, 0],
    ["a time of ISO 8601", { "x-ratelimit-reset": "2026-01-31T10:00:30Z" }, 30_000],
    ["seconds of the drafts of the IETF", { "ratelimit-reset": "30" }, 30_000],
    ["an older one of these drafts", { ratelimit: "limit=10, remaining=0, reset=30" }, 30_000],
    ["a newer one", { ratelimit: '"hour";r=0;t=30' }, 30_000],
    ["Retry-After beside it, which goes first", { "retry-after": "7", "x-ratelimit-reset": "30" }, 7_000],
    ["no number", { "x-ratelimit-reset": "soon", ratelimit: '"hour";r=0' }, undefined],
    ["a number below zero", { "x-ratelimit-reset": "-1" }, undefined],
  ])("reads when a limit is reset from %s", (_, headers, expected) => {
    expect(asked(headers)).toBe(expected);
  });

  it.each([200, 202, 503])("reads it from a %i only if the limit is used up", (status) => {
    expect(asked({ "x-ratelimit-reset": "30" }, status)).toBeUndefined();
    expect(asked({ "x-ratelimit-reset": "30", "x-ratelimit-remaining": "10" }, status)).toBeUndefined();
    expect(asked({ "x-ratelimit-reset": "30", "x-ratelimit-remaining": "0" }, status)).toBe(30_000);
    expect(asked({ ratelimit: "limit=10, remaining=10, reset=30" }, status)).toBeUndefined();
    expect(asked({ ratelimit: '"hour";r=0;t=30' }, status)).toBe(30_000);
    expect(asked({ "retry-after": "7" }, status)).toBe(7_000);
  });
});

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-01-31T10:00:00Z");
  it.each([
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["Sat, 31 Jan 2026 10:00:30 GMT", 30_000],
    ["Sat, 31 Jan 2026 09:00:00 GMT", 0],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["2026", 2_026_000],
    ["7s", undefined],
    ["99999999999999999999", undefined],
  ])("%j is %j ms", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
