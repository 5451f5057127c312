import { expect, it } from "vitest";
import {
  cosignSignaturePredicate,
  readVerifiedStatement,
  signStatement,
} from "../../../../../provider/mirror/signing/sigstoreBundle";
import { type ImageSigningKey, parseSigningKey } from "../../../../../provider/settings/signingKey";
import { keyForTest } from "../../../../support/mirror/signatures";

const digest = `sha256:${"a".repeat(64)}`;
const newKey = () => parseSigningKey(keyForTest().pem) as ImageSigningKey;
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

interface Bundle {
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
}

/** Changes to a bundle. A changed bundle has no statement, or no valid signature of its statement. */
const changes: [string, (bundle: Bundle) => unknown][] = [
  ["no object", () => "text"],
  ["no envelope", () => ({})],
  ["no payload", ({ dsseEnvelope: { payload: _, ...others } }) => ({ dsseEnvelope: others })],
  ["a payload of no JSON", (bundle) => withEnvelope(bundle, { payload: "eA==" })],
  ["a payload about nothing", (bundle) => withEnvelope(bundle, { payload: base64({ subject: [] }) })],
  ["another payload", (bundle) => withEnvelope(bundle, { payload: base64(anotherStatement) })],
  ["another type", (bundle) => withEnvelope(bundle, { payloadType: "text/plain" })],
  ["no signature", (bundle) => withEnvelope(bundle, { signatures: [] })],
  ["an empty signature", (bundle) => withEnvelope(bundle, { signatures: [{ sig: "" }] })],
];
const subject = [{ digest: { sha256: "a".repeat(64) } }];
const anotherStatement = { ...cosignSignaturePredicate, subject, predicate: { of: "somebody" } };

function withEnvelope(bundle: Bundle, changed: Partial<Bundle["dsseEnvelope"]>): unknown {
  return { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, ...changed } };
}

it("a bundle is read with the key that signed it, and for its image only", () => {
  const key = newKey();
  const bundle = Buffer.from(JSON.stringify(signStatement(digest, cosignSignaturePredicate, key)));
  expect(readVerifiedStatement(bundle, digest, key.publicKey)).toMatchObject(cosignSignaturePredicate);
  expect(readVerifiedStatement(bundle, digest.replace("a", "b"), key.publicKey)).toBeUndefined();
  expect(readVerifiedStatement(bundle, digest, newKey().publicKey)).toBeUndefined();
});

it.each(changes)("a bundle with %s is none, and no fault", (_, change) => {
  const key = newKey();
  const changed = change(signStatement(digest, cosignSignaturePredicate, key) as Bundle);
  expect(readVerifiedStatement(Buffer.from(JSON.stringify(changed)), digest, key.publicKey)).toBeUndefined();
});
