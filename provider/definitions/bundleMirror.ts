import { archiveFormats } from "../mirror/archive/format";
import { explainUnusableDestination, isImageDestination, isSamePlace, parseDestination } from "../storage/destination";
import { defineResource, platformOriginField, type StateOf } from "./definition";
import { isNumber, isOneOf, isText } from "./guards";
import { createValidationRule, type InputsAcceptedBy, identifierRule, oneOf, waitTimeoutField } from "./rules";

const destination = createValidationRule(isText, "must be an address", (value) => {
  const parsed = parseDestination(value);
  return "problem" in parsed ? parsed.problem : explainUnusableDestination(parsed);
});

const notSha256 = "must be 64 hexadecimal digits";
const expectedSha256 = createValidationRule(isText, notSha256, (value) =>
  /^[0-9a-f]{64}$/i.test(value) ? undefined : notSha256,
);

const notAnAddress = "must be an address such as https://cdn.example.com/docs";
const publicUrl = createValidationRule(isText, notAnAddress, (value) => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return notAnAddress;
  }
  const { username, password } = new URL(value);
  return username || password || /[?#]/.test(value)
    ? "must not contain credentials, a query or a fragment: it is the stable address of the destination"
    : undefined;
});

const notBytes = "must be a whole number of bytes, above zero";
const maxBytes = createValidationRule(isNumber, notBytes, (value) =>
  Number.isSafeInteger(value) && value > 0 ? undefined : notBytes,
);

export const bundleMirrorDefinition = defineResource({
  name: "BundleMirror",
  readsAtPlan: true,
  notImported: "only the state lists the files of a mirror. Declare the resource instead, which costs one transfer",
  contradiction: ({ destination: place, publicUrl: url, sign, layout, outerFolder }) => {
    if (typeof outerFolder === "string" && (layout ?? "archive") === "archive") {
      return { property: "outerFolder", reason: 'applies to layout "site" only: an archive is stored as it is' };
    }
    const isForImages = typeof place === "string" ? isImageDestination(place) : undefined;
    if (isForImages === true && typeof url === "string") {
      const reason = "applies to a folder or a bucket only: clients reach a registry by its own name";
      return { property: "publicUrl", reason };
    }
    if (isForImages === false && typeof sign === "string" && sign !== "none") {
      const reason = "applies to images only: give a destination that begins with oci:// or oci-layout://";
      return { property: "sign", reason };
    }
    return undefined;
  },
  // A destination can have several archives with different file names, but only one site.
  staysForSuccessor: (state, successor) =>
    (state.layout === "archive" && successor.layout === "archive") ||
    (typeof successor.destination === "string" && !isSamePlace(String(state.destination), successor.destination)),
  fields: {
    url: { state: isText },
    sha256: { state: isText },
    sizeBytes: { state: isNumber },
    format: { state: isOneOf(...archiveFormats) },
    version: { state: isText, copyOf: "jobId" },
    mirroredAt: { state: isText },
    digest: { state: isText, optional: true },
    // The sha256 of the public key that verifies the image's signature.
    signedBy: { state: isText, optional: true },
    jobId: { rule: identifierRule, required: true, onChange: "replace", inId: true, ofPlatform: "export job" },
    destination: { rule: destination, required: true, onChange: "replace", inId: true },
    expectedSha256: { rule: expectedSha256, onChange: "update" },
    // The check of the inputs fills in the default. So a preview knows the layout even if other properties change.
    layout: { rule: oneOf("archive", "site"), onChange: "replace", default: "archive", fill: () => "archive" },
    publicUrl: { rule: publicUrl, onChange: "update" },
    outerFolder: { rule: oneOf("remove", "keep"), onChange: "update" },
    maxBytes: { rule: maxBytes, onChange: "update" },
    waitTimeout: { ...waitTimeoutField, onChange: "update" },
    sign: { rule: oneOf("bundle", "none"), onChange: "update" },
    __origin: platformOriginField,
    // The resource's name in the record at the destination, and the secret that seals the record: see `MirrorOwner`.
    __owner: { state: isText },
    __publication: { state: isText, secret: true },
    // The `url` that the mirror would have without `publicUrl`.
    __address: { state: isText },
    // The decision about the folder around the site: see `OuterFolderDecision`.
    __outerFolder: { state: isOneOf("remove", "keep", "none"), optional: true },
    // The difference between the destination and the mirrored bundle, as a text for the user.
    __difference: { state: isText, optional: true },
    // The public key (SPKI DER in Base64) that verifies the image's signature.
    __publicKey: { state: isText, optional: true },
    // A problem that a refresh has found with the image's signature, as a text for the user.
    __unsigned: { state: isText, optional: true },
  },
});

export type BundleMirrorInputs = InputsAcceptedBy<typeof bundleMirrorDefinition.fields>;
/** The state of a mirror. Times are ISO 8601 in UTC. */
export type BundleMirrorState = StateOf<typeof bundleMirrorDefinition.fields>;
