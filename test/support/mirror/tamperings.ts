import type { BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import { campaign } from "../campaign";
import { toldByHost } from "../toldByHost";
import { mirrored } from "./mirrorWorld";
import { pushedManifestType } from "./signatures";
import { digestIn, everySignature, type Form, registries, type SignedWorld, signedWorld } from "./signedWorld";
import { sha256Of } from "./storage";

const { bundleMirror } = toldByHost;

interface Case extends SignedWorld {
  state: BundleMirrorState;
  digest: string;
  /** The tag of the older signatures. */
  legacyTag: string;
}

/** A verifier accepts the image under its tag: with a bundle, a legacy signature, or both. A refresh says this. */
type Row = [
  what: string,
  tamper: (given: Case) => Promise<unknown>,
  accepted: Record<Form, boolean>,
  told: Partial<Record<Form, RegExp>>,
];

const all = (told: RegExp) => ({ bundle: told, legacy: told, both: told });
const [yes, no] = [true, false];
const noSignature = /has no signature by the key/;
const noBundle = { bundle: noSignature, both: noSignature };
const underTag = /has no signature by the key \S+ under a tag/;
const isSignature = ({ predicateType }: { predicateType: string }) => predicateType.includes("cosign/sign");

/** Every bundle of an image, changed and put in place of what was there. */
async function replaceBundles(
  { repository, digest }: Case,
  change: (bundle: ReturnType<typeof JSON.parse>) => object,
  annotations = {},
) {
  const before = await repository.bundles(digest);
  await repository.removeBundles(digest, () => true);
  for (const { bundle } of before) {
    await repository.addBundle(digest, change(bundle), annotations);
  }
}

async function replaceLegacy(
  { repository, legacyTag }: Case,
  change: (text: Buffer, annotations: Record<string, string>) => [Buffer, Record<string, string>],
) {
  const manifest = await repository.json(legacyTag);
  if (manifest) {
    const [layer] = manifest.layers;
    const [text, annotations] = change((await repository.get(`blobs/${layer.digest}`)) as Buffer, layer.annotations);
    const layers = [{ ...layer, ...(await repository.putBlob(text)), annotations }];
    await repository.put(legacyTag, { ...manifest, layers }, pushedManifestType);
  }
}

const rows: Row[] = [
  ["nothing", async () => {}, { bundle: yes, legacy: yes, both: yes }, {}],
  [
    "a tag that leads to an unsigned image",
    async ({ repository, digest }) => {
      const index = await repository.json(`manifests/${digest}`);
      await repository.put("manifests/latest", { ...index, annotations: { changed: "yes" } }, index.mediaType);
    },
    { bundle: no, legacy: no, both: no },
    all(/points to another image/),
  ],
  [
    "a signature of another image",
    async (given) => {
      const other = await signedWorld({}, given.inputs.sign as Form);
      const context = { ...other.context, settings: given.context.settings };
      const { __difference: _, ...replaced } = await mirrored({ ...other, context });
      const next = await bundleMirror.update("id", replaced, { ...other.inputs, jobId: "job-2" }, context);
      const [bundle] = await other.repository.bundles(digestIn(next));
      await replaceBundles(given, () => bundle?.bundle);
      const legacy = await other.repository.json(`manifests/${digestIn(next).replace(":", "-")}.sig`);
      const text = legacy && ((await other.repository.get(`blobs/${legacy.layers[0].digest}`)) as Buffer);
      await replaceLegacy(given, () => [text, legacy.layers[0].annotations]);
    },
    { bundle: no, legacy: no, both: no },
    { ...noBundle, legacy: underTag },
  ],
  [
    "signatures of another key in place of its own",
    async (given) => {
      const other = await signedWorld({}, given.inputs.sign as Form);
      await mirrored(other);
      const bundles = await other.repository.bundles(given.digest);
      await replaceBundles(given, () => bundles.shift()?.bundle);
      const legacy = await other.repository.json(given.legacyTag);
      const text = legacy && ((await other.repository.get(`blobs/${legacy.layers[0].digest}`)) as Buffer);
      await replaceLegacy(given, () => [text, legacy.layers[0].annotations]);
    },
    { bundle: no, legacy: no, both: no },
    { ...noBundle, legacy: underTag },
  ],
  [
    "a signed text with another digest",
    async (given) => {
      const change = (text: string) => text.replaceAll(given.digest.slice(7), sha256Of("another"));
      await replaceBundles(given, (bundle) => {
        const payload = Buffer.from(change(Buffer.from(bundle.dsseEnvelope.payload, "base64").toString()));
        return { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload: payload.toString("base64") } };
      });
      await replaceLegacy(given, (text, annotations) => [Buffer.from(change(text.toString())), annotations]);
    },
    { bundle: no, legacy: no, both: no },
    { ...noBundle, legacy: underTag },
  ],
  [
    "other annotations",
    async (given) => {
      await replaceBundles(given, (bundle) => bundle, { "dev.sigstore.bundle.content": "changed" });
      await replaceLegacy(given, (text) => [text, { "dev.cosignproject.cosign/signature": "AAAA" }]);
    },
    { bundle: yes, legacy: no, both: yes },
    { legacy: underTag, both: underTag },
  ],
  [
    "no tag of signatures any more",
    ({ repository, legacyTag }) => repository.remove(legacyTag),
    { bundle: yes, legacy: no, both: yes },
    { legacy: underTag, both: underTag },
  ],
  [
    "no bundle any more",
    ({ repository, digest }) => repository.removeBundles(digest, () => true),
    { bundle: no, legacy: yes, both: yes },
    noBundle,
  ],
  [
    "a statement of its origin, and no signature",
    ({ repository, digest }) => repository.removeBundles(digest, isSignature),
    { bundle: yes, legacy: yes, both: yes },
    noBundle,
  ],
  [
    "no statement of its origin",
    ({ repository, digest }) => repository.removeBundles(digest, (statement) => !isSignature(statement)),
    { bundle: yes, legacy: yes, both: yes },
    { bundle: /no statement of its origin/, both: /no statement of its origin/ },
  ],
  [
    "a bundle of another key beside it",
    async ({ repository, digest }) => {
      const other = await signedWorld({}, "bundle");
      const [bundle] = await other.repository.bundles(digestIn(await mirrored(other)));
      await repository.addBundle(digest, bundle?.bundle);
    },
    { bundle: yes, legacy: no, both: yes },
    {},
  ],
];

/**
 * Each way to tamper, with each form of a signature in each kind of registry. Outside the campaign each form meets one
 * kind, which changes from row to row.
 */
export const tamperings = rows.flatMap((row, index) =>
  everySignature
    .filter(([, kind]) => campaign || kind === registries[index % registries.length]?.[0])
    .map(([form, kind, habit]) => [row[0], form, kind, habit, row] as const),
);
