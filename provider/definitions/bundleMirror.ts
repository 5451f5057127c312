import { bundleFormats } from "../mirror/archive/format";
import type { LayoutName } from "../mirror/layouts/fileNames";
import { bundleMirror as lifecycle } from "../resources/bundleMirror";
import type { BundleMirrorInputs, BundleMirrorState } from "../resources/bundleMirrorState";
import { defaultWaitTimeout } from "../resources/waitLimit";
import { isSamePlace, libraryProblem, parseDestination } from "../storage/destination";
import { defineResource } from "./definition";
import { booleanRule, duration, identifier, type Rule } from "./rules";
import { isBoolean, isNumber, isOneOf, isText, isTrue, optional, required } from "./shape";

const destination: Rule<string> = (value) => {
  const parsed = typeof value === "string" ? parseDestination(value) : { problem: "must be an address" };
  return "problem" in parsed ? parsed.problem : libraryProblem(parsed);
};

const expectedSha256: Rule<string> = (value) =>
  typeof value === "string" && /^[0-9a-f]{64}$/i.test(value) ? undefined : "must be 64 hexadecimal digits";

const layout: Rule<LayoutName> = (value) =>
  value === "archive" || value === "site" ? undefined : 'must be "archive" or "site"';

const publicUrl: Rule<string> = (value) => {
  if (typeof value !== "string" || !/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return "must be an address such as https://cdn.example.com/docs";
  }
  const { username, password } = new URL(value);
  return username || password || /[?#]/.test(value)
    ? "must not contain credentials, a query or a fragment: it is the stable address of the destination"
    : undefined;
};

const maxBytes: Rule<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0
    ? undefined
    : "must be a whole number of bytes, above zero";

export const bundleMirror = defineResource<BundleMirrorInputs, BundleMirrorState>({
  name: "BundleMirror",
  inputs: {
    jobId: { rule: identifier, required: true, onChange: "replace" },
    destination: { rule: destination, required: true, onChange: "replace" },
    expectedSha256: { rule: expectedSha256, onChange: "update" },
    // As an input it stays known while a preview shows a change of the others.
    layout: { rule: layout, required: true, onChange: "replace", default: "archive", fill: () => "archive" },
    publicUrl: { rule: publicUrl, onChange: "update" },
    allowExisting: { rule: booleanRule, onChange: "update", default: false },
    maxBytes: { rule: maxBytes, onChange: "update" },
    waitTimeout: { rule: duration({ zero: false }), onChange: "update", default: defaultWaitTimeout },
  },
  copies: { version: "jobId" },
  outputs: ["url", "sha256", "sizeBytes", "format", "mirroredAt", "digest"],
  contradiction: ({ destination: place, publicUrl: url }) =>
    typeof place === "string" && /^oci:/i.test(place) && typeof url === "string"
      ? {
          property: "publicUrl",
          reason: "applies to a folder or a bucket only: clients reach a registry by its own name",
        }
      : undefined,
  identity: ["jobId", "destination"],
  readsAtPlan: true,
  // Archives have names of their own. A site needs its place for itself.
  staysForSuccessor: (state, successor) =>
    (state.layout === "archive" && successor.layout === "archive") ||
    (typeof successor.destination === "string" && !isSamePlace(String(state.destination), successor.destination)),
  notImported:
    "only the state shows which files belong to a mirror. Declare the resource instead, which costs one transfer",
  state: {
    url: required(isText),
    sha256: required(isText),
    sizeBytes: required(isNumber),
    format: required(isOneOf(...bundleFormats)),
    version: required(isText),
    mirroredAt: required(isText),
    digest: optional(isText),
    __origin: required(isText),
    __key: required(isText),
    __address: required(isText),
    __mark: optional(isText),
    __files: optional(isText),
    __differs: optional(isTrue),
    __difference: optional(isText),
    jobId: required(isText),
    destination: required(isText),
    expectedSha256: optional(isText),
    layout: required(isOneOf("archive", "site")),
    publicUrl: optional(isText),
    allowExisting: optional(isBoolean),
    maxBytes: optional(isNumber),
    waitTimeout: optional(isText),
  },
  lifecycle,
});
