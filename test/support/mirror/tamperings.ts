import type { BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import { campaign } from "../campaign";
import { throwingLifecycles } from "../throwingLifecycles";
import { mirrored } from "./mirrorWorld";
import { digestIn, registries, type SignedWorld, signedWorld } from "./signedWorld";
import { sha256Of } from "./storage";

const { bundleMirror } = throwingLifecycles;

interface Case extends SignedWorld {
  state: BundleMirrorState;
  digest: string;
}

/**
 * `tamper` changes an image as another user could. `isAccepted` is true if a verifier still accepts the tag's image.
 * `found` matches the difference that a refresh reports. Without `found`, a refresh must report no difference.
 */
type Row = [what: string, tamper: (given: Case) => Promise<unknown>, isAccepted: boolean, found?: RegExp];

const noSignature = /has no signature by the key/;
const isSignature = ({ predicateType }: { predicateType: string }) => predicateType.includes("cosign/sign");

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

const rows: Row[] = [
  ["nothing", async () => {}, true],
  [
    "a tag that leads to an unsigned image",
    async ({ repository, digest }) => {
      const index = await repository.json(`manifests/${digest}`);
      await repository.put("manifests/latest", { ...index, annotations: { changed: "yes" } }, index.mediaType);
    },
    false,
    /points to another image/,
  ],
  [
    "a signature of another image",
    async (given) => {
      const other = await signedWorld();
      const context = { ...other.context, settings: given.context.settings };
      const { __difference: _, ...replaced } = await mirrored({ ...other, context });
      const next = await bundleMirror.update("id", replaced, { ...other.inputs, jobId: "job-2" }, context);
      const [bundle] = await other.repository.bundles(digestIn(next));
      await replaceBundles(given, () => bundle?.bundle);
    },
    false,
    noSignature,
  ],
  [
    "signatures of another key in place of its own",
    async (given) => {
      const other = await signedWorld();
      await mirrored(other);
      const bundles = await other.repository.bundles(given.digest);
      await replaceBundles(given, () => bundles.shift()?.bundle);
    },
    false,
    noSignature,
  ],
  [
    "a signed text with another digest",
    async (given) => {
      const change = (text: string) => text.replaceAll(given.digest.slice(7), sha256Of("another"));
      await replaceBundles(given, (bundle) => {
        const payload = Buffer.from(change(Buffer.from(bundle.dsseEnvelope.payload, "base64").toString()));
        return { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload: payload.toString("base64") } };
      });
    },
    false,
    noSignature,
  ],
  [
    "other annotations",
    (given) => replaceBundles(given, (bundle) => bundle, { "dev.sigstore.bundle.content": "changed" }),
    true,
  ],
  ["no bundle any more", ({ repository, digest }) => repository.removeBundles(digest, () => true), false, noSignature],
  [
    "a statement of its origin, and no signature",
    ({ repository, digest }) => repository.removeBundles(digest, isSignature),
    true,
    noSignature,
  ],
  [
    "no statement of its origin",
    ({ repository, digest }) => repository.removeBundles(digest, (statement) => !isSignature(statement)),
    true,
    /no statement of its origin/,
  ],
  [
    "a bundle of another key beside it",
    async ({ repository, digest }) => {
      const other = await signedWorld();
      const [bundle] = await other.repository.bundles(digestIn(await mirrored(other)));
      await repository.addBundle(digest, bundle?.bundle);
    },
    true,
  ],
];

/** Each change of an image, with each kind of registry. `npm test` tries each change with only one kind. */
export const tamperings = rows.flatMap((row, index) =>
  registries
    .filter(([kind]) => campaign || kind === registries[index % registries.length]?.[0])
    .map(([kind, habit]) => [row[0], kind, habit, row] as const),
);
