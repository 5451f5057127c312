import { describe, expect, it } from "vitest";
import { parseSignatureExpiry } from "../../../../provider/platform/parseSignatureExpiry";

const end = Date.parse("2026-01-31T10:15:00Z");

/** Returns the `Policy` parameter of a link, as CloudFront's tools encode it. */
function policy(...ends: number[]): string {
  const Statement = ends.map((time) => ({ Resource: "?>~", Condition: { DateLessThan: { "AWS:EpochTime": time } } }));
  const base64 = Buffer.from(JSON.stringify({ Statement })).toString("base64");
  return base64.replaceAll("+", "-").replaceAll("=", "_").replaceAll("/", "~");
}

describe("parseSignatureExpiry", () => {
  it.each([
    ["X-Amz-Date and X-Amz-Expires", "X-Amz-Date=20260131T100000Z&X-Amz-Expires=900&X-Amz-Signature=a"],
    ["the same in small letters", "x-amz-date=20260131T100000Z&x-amz-expires=900"],
    ["X-Goog-Date and X-Goog-Expires", "X-Goog-Date=20260131T100000Z&X-Goog-Expires=900"],
    ["Expires in seconds", `AWSAccessKeyId=a&Expires=${end / 1_000}&Signature=b`],
    ["the policy of CloudFront", `Policy=${policy(end / 1_000)}&Signature=b`],
    ["its earliest end", `Policy=${policy(end / 1_000 + 9, end / 1_000)}`],
    ["Expires beside a policy that has no end", `Expires=${end / 1_000}&Policy=${policy(-1)}`],
    ["Expires beside an invalid policy", `Expires=${end / 1_000}&Policy=_~-`],
    ["se, a time", "sv=2024-01-01&se=2026-01-31T10%3A15%3A00Z&sig=b"],
  ])("reads %s", (_, query) => {
    expect(parseSignatureExpiry(`https://b.example.com/x?${query}`)).toBe(end);
  });

  it.each([
    ["no query", ""],
    ["no start", "?X-Amz-Expires=900"],
    ["no length", "?X-Amz-Date=20260131T100000Z"],
    ["a length of nothing", "?X-Amz-Date=20260131T100000Z&X-Amz-Expires=0"],
    ["a length that is no number", "?X-Amz-Date=20260131T100000Z&X-Amz-Expires=long"],
    ["a length without end", "?X-Amz-Date=20260131T100000Z&X-Amz-Expires=1e999"],
    ["a start that is no time", "?X-Amz-Date=20261399T999999Z&X-Amz-Expires=900"],
    ["an end that is no time", "?Expires=never"],
    ["an end in seconds from now", "?Expires=900"],
  ])("is unknown with %s", (_, query) => {
    expect(parseSignatureExpiry(`https://b.example.com/x${query}`)).toBeUndefined();
  });
});
