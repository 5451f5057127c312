import { bundleFormats } from "../mirror/archive/format";
import { isSamePlace, libraryProblem, parseDestination } from "../storage/destination";
import { defineResource, type StateOf } from "./definition";
import { isNumber, isOneOf, isText, isTrue } from "./guards";
import { booleanRule, type InputsOf, identifier, oneOf, ruleFor, waitTimeout } from "./rules";

const destination = ruleFor(isText, "must be an address", (value) => {
  const parsed = parseDestination(value);
  return "problem" in parsed ? parsed.problem : libraryProblem(parsed);
});

const notSha256 = "must be 64 hexadecimal digits";
const expectedSha256 = ruleFor(isText, notSha256, (value) => (/^[0-9a-f]{64}$/i.test(value) ? undefined : notSha256));

const notAnAddress = "must be an address such as https://cdn.example.com/docs";
const publicUrl = ruleFor(isText, notAnAddress, (value) => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return notAnAddress;
  }
  const { username, password } = new URL(value);
  return username || password || /[?#]/.test(value)
    ? "must not contain credentials, a query or a fragment: it is the stable address of the destination"
    : undefined;
});

const notBytes = "must be a whole number of bytes, above zero";
const maxBytes = ruleFor(isNumber, notBytes, (value) =>
  Number.isSafeInteger(value) && value > 0 ? undefined : notBytes,
);

export const bundleMirrorDefinition = defineResource({
  name: "BundleMirror",
  readsAtPlan: true,
  notImported:
    "only the state shows which files belong to a mirror. Declare the resource instead, which costs one transfer",
  contradiction: ({ destination: place, publicUrl: url }) =>
    typeof place === "string" && /^oci:/i.test(place) && typeof url === "string"
      ? {
          property: "publicUrl",
          reason: "applies to a folder or a bucket only: clients reach a registry by its own name",
        }
      : undefined,
  // An archive has its own file name. A site needs the whole destination for itself.
  staysForSuccessor: (state, successor) =>
    (state.layout === "archive" && successor.layout === "archive") ||
    (typeof successor.destination === "string" && !isSamePlace(String(state.destination), successor.destination)),
  fields: {
    url: { state: isText },
    sha256: { state: isText },
    sizeBytes: { state: isNumber },
    format: { state: isOneOf(...bundleFormats) },
    version: { state: isText, copyOf: "jobId" },
    mirroredAt: { state: isText },
    // The digest of the image's manifest. Only for a mirror in a registry.
    digest: { state: isText, optional: true },
    jobId: { rule: identifier, required: true, onChange: "replace", inId: true, ofPlatform: true },
    destination: { rule: destination, required: true, onChange: "replace", inId: true },
    expectedSha256: { rule: expectedSha256, onChange: "update" },
    // The version is copied into the inputs, so that a preview knows it while it shows a change of other properties.
    layout: { rule: oneOf("archive", "site"), onChange: "replace", default: "archive", fill: () => "archive" },
    publicUrl: { rule: publicUrl, onChange: "update" },
    allowExisting: { rule: booleanRule, onChange: "update", default: false },
    maxBytes: { rule: maxBytes, onChange: "update" },
    waitTimeout: { ...waitTimeout, onChange: "update" },
    // The origin of the platform that has the job. At another base URL the job's id means nothing.
    __origin: { state: isText },
    // The secret by which the files at the destination are known as this mirror's own: see `MirrorOwner`.
    __key: { state: isText },
    // `url` without `publicUrl`.
    __address: { state: isText },
    // The revision of the archive, or of the manifest of a site.
    __mark: { state: isText, optional: true },
    // The digest of the list of a site's files, if the site was published as a whole.
    __files: { state: isText, optional: true },
    // The files at the destination are not, or not surely, those that were mirrored; and the difference, for a person.
    __differs: { state: isTrue, optional: true },
    __difference: { state: isText, optional: true },
  },
});

export type BundleMirrorInputs = InputsOf<typeof bundleMirrorDefinition.fields>;
/** The state of a mirror. Times are ISO 8601 in UTC. */
export type BundleMirrorState = StateOf<typeof bundleMirrorDefinition.fields>;
