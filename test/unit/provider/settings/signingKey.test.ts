import { generateKeyPairSync } from "node:crypto";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../provider/support/redact";
import { shownParts } from "../../../support/secretParts";
import { given, problemsOf } from "../../../support/settingsUnderTest";
import { temporaryFolder } from "../../../support/temporaryFolder";

const keyOf = (environment: Record<string, string>) => given(environment).need("signing");

const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve }).privateKey;
const good = curve("P-256").export(pkcs8).toString();
const encrypted = { ...pkcs8, cipher: "aes-256-cbc", passphrase: "secret" } as const;

function keyFile(content: string, mode = 0o600): string {
  const file = join(temporaryFolder(), "signing.pem");
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

const bad: [what: string, content: string, told: RegExp][] = [
  ["of the curve P-384", curve("P-384").export(pkcs8).toString(), /is not an ECDSA key on the curve P-256/],
  [
    "of RSA",
    generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8).toString(),
    /is not an ECDSA/,
  ],
  ["of Ed25519", generateKeyPairSync("ed25519").privateKey.export(pkcs8).toString(), /is not an ECDSA/],
  ["that is encrypted", curve("P-256").export(encrypted).toString(), /is an encrypted key.*openssl pkey/],
  [
    "in cosign's own format",
    "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\neyJrZGYiOnsi\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n",
    /cosign's own format.*openssl genpkey .* -pkeyopt ec_paramgen_curve:P-256/,
  ],
  ["that is public", good.replaceAll("PRIVATE", "PUBLIC"), /is no private key in PEM format/],
  ["that is cut", good.replace(/^M.*\n/m, ""), /is no private key in PEM format/],
  ["of no content", "", /is no private key in PEM format/],
];

describe("a signing key", () => {
  it("is a file, or a command", () => {
    const file = keyFile(good);
    expect(keyOf({})).toBeUndefined();
    expect(keyOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: file })).toEqual({ file, from: "DOCS_PLATFORM_SIGNING_KEY_FILE" });
    expect(keyOf({ DOCS_PLATFORM_SIGNING_KEY_COMMAND: "vault read 'a key'" })).toEqual({
      command: ["vault", "read", "a key"],
      from: "DOCS_PLATFORM_SIGNING_KEY_COMMAND",
    });
    const both = { DOCS_PLATFORM_SIGNING_KEY_FILE: file, DOCS_PLATFORM_SIGNING_KEY_COMMAND: "vault" };
    expect(problemsOf(both)).toEqual([
      expect.stringContaining("the signing key is set twice, by DOCS_PLATFORM_SIGNING_KEY"),
    ]);
  });

  it.each(bad)("%s is refused by a check, which shows nothing of it", (_, content, told) => {
    const file = keyFile(content);
    const problems = problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: file });
    expect(problems).toEqual([expect.stringMatching(told)]);
    expect(String(problems)).toContain(`read from DOCS_PLATFORM_SIGNING_KEY_FILE, names the file ${file}`);
    expect(shownParts(content.replace(/-----.*-----/g, "").trim() || "nothing at all", String(problems))).toEqual([]);
  });

  it("in a file that is missing, or a folder, is refused", () => {
    const folder = temporaryFolder();
    expect(problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: join(folder, "none") })).toEqual([
      expect.stringContaining("does not exist"),
    ]);
    chmodSync(folder, 0o700);
    expect(problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: folder })).toEqual([expect.stringContaining("is a folder")]);
  });

  it.skipIf(process.getuid?.() !== 0)("in a file of another user is refused (needs the rights of root)", () => {
    const file = keyFile(good);
    chownSync(file, 65_534, 65_534);
    expect(problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: file })).toEqual([
      expect.stringContaining(`names the file ${file}, but this file belongs to another user`),
    ]);
  });

  it.skipIf(process.platform === "win32").each([0o640, 0o604, 0o620])("in a file of mode %o is refused", (mode) => {
    expect(problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: keyFile(good, mode) })).toEqual([
      expect.stringContaining(`other users may use this file (mode ${mode.toString(8)}): run \`chmod 600\``),
    ]);
  });

  it("that was read is in no later text, in whatever encoding", () => {
    problemsOf({ DOCS_PLATFORM_SIGNING_KEY_FILE: keyFile(good) });
    const body = good.replace(/-----.*-----/g, "").trim();
    const texts = [good, body.replaceAll("\n", ""), encodeURIComponent(body), Buffer.from(body).toString("base64")];
    for (const line of body.split("\n")) {
      expect(shownParts(line, texts.map((text) => redact(`told: ${text} end`)).join("\n"))).toEqual([]);
    }
    expect(redact("-----BEGIN CERTIFICATE-----")).toBe("-----BEGIN CERTIFICATE-----");
  });
});
