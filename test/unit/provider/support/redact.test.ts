import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { destinationSchemes } from "../../../../provider/storage/destination";
import { redact, registerKeyAndParts, registerLinkSecrets, registerSecret } from "../../../../provider/support/redact";
import { forms } from "../../../support/fixtures/forms";

const secret = "S3cr3tS1gnature";

describe("a signed link keeps its place and loses its query", () => {
  it.each([
    ["S3 and its kin", `https://b.s3.example.com/x.tar.gz?X-Amz-Credential=A&X-Amz-Signature=${secret}`],
    ["S3, the old form", `https://b.example.com/x?AWSAccessKeyId=${secret}&Signature=${secret}&Expires=1`],
    ["GCS", `https://storage.example.com/b/x?X-Goog-Signature=${secret}`],
    ["Azure", `https://a.blob.example.net/c/x?sv=2024&se=2026&sr=b&sp=r&sig=${secret}%3D`],
    ["CloudFront", `https://d.example.net/x?Policy=${secret}&Signature=${secret}&Key-Pair-Id=${secret}`],
    ["OSS", `https://b.oss.example.com/x?OSSAccessKeyId=${secret}&security-token=${secret}`],
    ["a token of any name", `https://files.example.com/x?download=${secret}`],
    ["another scheme", `s3://bucket/x?key=${secret}`],
  ])("%s", (_, link) => {
    for (const text of [link, `see ${link} now`, JSON.stringify({ error: link, n: 1 }), `(${link})`, `<${link}>`]) {
      const shown = redact(text);
      expect(shown).not.toContain(secret);
      expect(shown).toContain(link.slice(0, link.indexOf("?")));
    }
  });

  it("in JSON, and what stands after it stays", () => {
    const text = `{"bundleUrl":"https://f.example.com/b?sig=${secret}","expiresAt":"2026-01-31T10:00:00Z"}`;
    expect(redact(text)).toBe('{"bundleUrl":"https://f.example.com/b?[redacted]","expiresAt":"2026-01-31T10:00:00Z"}');
  });

  it.each(["X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "sig", "Signature"])(
    "also where the address before it is lost: %s",
    (name) => {
      expect(redact(`GET /b/x?a=1&${name}=${secret} failed`)).not.toContain(secret);
    },
  );
});

describe("credentials", () => {
  it.each([
    [`https://user:${secret}@host.example.com/x`, "https://[redacted]@host.example.com/x"],
    [`https://${secret}@host.example.com`, "https://[redacted]@host.example.com"],
    [`https://user:p@${secret}@host.example.com/`, "https://[redacted]@host.example.com/"],
    [`Authorization: Bearer ${secret}`, "Authorization: Bearer [redacted]"],
    [`authorization: bearer svc_${secret}`, "authorization: bearer [redacted]"],
    [`Basic ${secret}==`, "Basic [redacted]"],
    [`{"Authorization":"Bearer ${secret}","x":1}`, '{"Authorization":"Bearer [redacted]","x":1}'],
    [`the key svc_${secret} is unknown`, "the key svc_[redacted] is unknown"],
    [`{"key":"svc_${secret}","x":1}`, '{"key":"svc_[redacted]","x":1}'],
    [`svc_a,svc_b`, "svc_[redacted],svc_[redacted]"],
  ])("%s", (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it("a key of any form that the settings accept never survives, wherever it stands", () => {
    const key = fc.stringMatching(/^[\w.~+/=-]{4,40}$/).map((tail) => `svc_QQ${tail}`);
    fc.assert(
      fc.property(
        key,
        fc.string(),
        fc.constantFrom("", " ", '"', "'", ",", "(", "<", "\n", "="),
        (text, after, before) => {
          const shown = redact(`${before}${text}"${after.replaceAll("QQ", "")}`);
          expect(shown).not.toContain(text.slice(4));
          expect(shown).not.toContain("QQ");
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });
});

it("a text without a secret stays unchanged", () => {
  for (const text of [
    "export job 7f of docs.example.com failed: page /a/b is missing.",
    "https://api.example.com/v1/static-export/jobs/x",
    "see https://docs.example.com/#anchor",
    "a@example.com wrote",
    "the Basic plan is not enough: a bearer token is required",
    "set DOCS_PLATFORM_API_KEY: it must begin with svc_",
    ...Object.values(destinationSchemes).flatMap(({ example }) => [example, `give ${example}, or \`${example}\`.`]),
  ]) {
    expect(redact(text)).toBe(text);
  }
});

it("to redact twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const once = redact(`https://u:p@h/?q=1 svc_x Bearer ${text}`);
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 200, seed: 4 },
  );
});

it("removes a value that is secret by its place, such as a gateway's token, and no word that is short", () => {
  registerSecret("gateway-token-1");
  registerSecret("yes");
  expect(redact("yes: the gateway says that gateway-token-1 is old")).toBe(
    "yes: the gateway says that [redacted] is old",
  );
});

it("a job's status is the platform's word, also where a secret contains it", () => {
  registerSecret("my-completed-and-archived-key");
  for (const status of ["completed", "Archived", "failed", "queued"]) {
    expect(redact(status)).toBe(status);
  }
});

it("the newest links are hidden, however many there were", () => {
  const signature = (number: number) => createHash("sha256").update(String(number)).digest("hex");
  for (let number = 0; number < 3_000; number++) {
    registerLinkSecrets(new URL(`https://files.test/a?X-Amz-Signature=${signature(number)}`));
  }
  expect([signature(2_999), signature(2_700)].map(redact)).toEqual(["[redacted]", "[redacted]"]);
  expect(redact(signature(0))).toBe(signature(0));
});

describe("an admin API key of any form", () => {
  const token = fc.stringMatching(/^QQ[\w.~+/-]{6,40}={0,2}$/);

  it("survives nowhere: unchanged, in an address, in JSON, in Base64 within any text", () => {
    fc.assert(
      fc.property(token, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (key, before, after) => {
        registerKeyAndParts(key);
        const text = before + key + after;
        const encodings = [
          text,
          encodeURIComponent(text),
          JSON.stringify(text),
          ...(["base64", "base64url", "hex"] as const).map((encoding) => Buffer.from(text).toString(encoding)),
        ];
        for (const shown of encodings.map(redact)) {
          expect(forms(key).filter((form) => shown.includes(form))).toEqual([]);
        }
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("is hidden where it is refused, too, and so is each part that could be the key", () => {
    registerKeyAndParts('Bearer "refused-part-1"\nrefused-part-2');
    registerKeyAndParts("DOCS_PLATFORM_API_KEY= refused-part-3");
    expect(redact("refused-part-1, refused-part-2, refused-part-3; set DOCS_PLATFORM_API_KEY")).toBe(
      "[redacted], [redacted], [redacted]; set DOCS_PLATFORM_API_KEY",
    );
  });

  it("is hidden as a word where it is short", () => {
    registerKeyAndParts("zq7");
    registerKeyAndParts("+q$");
    expect(redact("the key zq7 of azq7b is old: (zq7), +q$")).toBe(
      "the key [redacted] of azq7b is old: ([redacted]), [redacted]",
    );
  });

  it("does not slow down the texts of a run where a whole file was given as the key", () => {
    registerKeyAndParts("long-refused-key ".repeat(100_000));
    expect(redact("long-refused-key")).toBe("[redacted]");
  });
});
