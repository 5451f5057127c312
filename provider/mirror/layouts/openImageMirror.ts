import {
  type Descriptor,
  type FoundManifest,
  type ImageStore,
  manifestDigest,
  mediaTypeOf,
  type OciIndex,
  type OciManifest,
} from "../../storage/imageStore";
import { asDocsPlatformError, DestinationError } from "../../support/errors";
import { packageVersion } from "../../support/packageFacts";
import { isoTime } from "../../support/time/duration";
import { words } from "../../support/words";
import { hasSignature, withSignature } from "../signing/recordSignature";
import {
  type EarlierSigner,
  missingSignature,
  requireSignatureSupport,
  type SigningKeys,
  signImage,
  unsignImage,
} from "../signing/signImage";
import type { Statement } from "../signing/sigstoreBundle";
import { openArchive } from "../transfer/openArchive";
import { chooseFileListName, type LayoutName } from "./fileNames";
import { storeArchive, storeSite } from "./imageContent";
import { type ImageRecord, putRecord, readImageRecord } from "./imageRecord";
import { recordTagOf, tagOf } from "./imageTags";
import { filesOfOthersError, type MirrorOwner } from "./mirrorOwner";
import type { Inspection, MirroredContent, OpenedMirror, PublishResult } from "./openedMirror";
import { OwnedPlace, ownedPlaceMethods } from "./ownedPlace";
import { type ArchiveFacts, recordFactsOf } from "./recordFacts";

/**
 * Stores a bundle as one image. The whole image becomes visible in one step, when its tag refers to it. A record under
 * a second tag names the owner of the image. When a site gets a new image, its earlier image loses the tag, and stays
 * as long as the registry keeps untagged images. Pods that are not updated yet may still pull it by its digest.
 */
export function openImageMirror(layout: LayoutName, store: ImageStore): OpenedMirror {
  const storeContent = layout === "site" ? storeSite : storeArchive;
  const placeOf = (owner: MirrorOwner) => new OwnedImage(store, owner, layout);
  return {
    ...ownedPlaceMethods(placeOf),
    async put(source, owner, signal, signing) {
      const place = placeOf(owner);
      const { record } = await findFree(place);
      if (signing?.wanted !== undefined && record?.signature === undefined) {
        await requireSignatureSupport(store, signal);
      }
      const incoming = await openArchive(source);
      const stored = await storeContent(source, incoming, store, signal, record === undefined);
      const { archive, manifest, outerFolder } = stored;
      const facts = { format: incoming.format, ...archive, mirroredAt: isoTime(source.clock.now()) };
      const { digest } = await findFree(place, manifest);
      return { ...(await publish(place, digest, { facts, manifest }, signal, signing)), outerFolder };
    },

    async sign(owner, mirrored, signing, signal) {
      const place = placeOf(owner);
      const { record, isOwn } = await place.find();
      const key = signing.wanted;
      // Anyone who may write the state could name any image in it. So the state alone does not permit a new signature:
      // the record must name the same image, and must itself be signed with the key.
      if (
        !isOwn ||
        record?.digest !== mirrored.digest ||
        (key !== undefined && !(record && hasSignature(record, key)))
      ) {
        throw notSigned(store, mirrored, "is not the one that this mirror has published, by the record beside its tag");
      }
      const found = await store.getManifest(String(mirrored.digest));
      if (found === undefined || !(await isWhole(found, store))) {
        throw notSigned(store, mirrored, found === undefined ? "is missing" : "is missing a part");
      }
      const subject = { mediaType: mediaTypeOf(found.manifest ?? {}), digest: found.digest, size: found.size };
      return { ...mirrored, signed: await sign(place, subject, mirrored, signing, signal) };
    },

    address: (_, { digest }) => store.reference(`@${digest}`),
    close: () => store.close(),
  };
}

const remedy = "remove this tag, or give another repository";

/** An image under a tag, with its record under a second tag. */
class OwnedImage extends OwnedPlace<ImageRecord> {
  readonly tag: string;

  constructor(
    readonly store: ImageStore,
    owner: MirrorOwner,
    layout: LayoutName,
  ) {
    const tag = tagOf(layout, owner.jobId);
    super(
      {
        recordName: store.reference(`:${recordTagOf(tag)}`),
        remedy,
        read: () => readImageRecord(store, tag),
        write: (record, signal) => putRecord(store, tag, record, signal),
        isThere: async () => (await store.getManifest(tag)) !== undefined,
        compare: (record, mirrored) => compare(record, mirrored, tag, store),
        remove: (record, mirrored, warn) => remove(record, mirrored, tag, store, warn),
      },
      owner,
      chooseFileListName(layout, owner.jobId),
    );
    this.tag = tag;
  }
}

/**
 * Checks that this mirror may write to the tag. If the state does not name the tag, but the tag exists, the tag must
 * already refer to the new image. Before the new image is known, the tag must refer to the image in the record.
 * @param made the manifest of the new image, once it is known.
 * @returns the digest of the tag's image, or undefined if the tag does not exist.
 * @throws DestinationError if the tag belongs to another mirror, or refers to an image that no mirror has published.
 */
async function findFree(place: OwnedImage, made?: Content["manifest"]) {
  const { tag, store, isInState } = place;
  const { record } = await place.findOwn();
  const digest = (await store.getManifest(tag))?.digest;
  const wanted = made ? manifestDigest(made) : record?.digest;
  if (digest !== undefined && !isInState && digest !== wanted) {
    throw filesOfOthersError([store.reference(`:${tag}`)], remedy);
  }
  return { record, digest };
}

interface Content {
  facts: ArchiveFacts;
  manifest: OciManifest | OciIndex;
}

function notSigned(store: ImageStore, { digest }: MirroredContent, why: string): DestinationError {
  return new DestinationError({
    happened: `the image ${store.reference(`@${digest}`)} ${why}: it was not signed`,
    remedy: `refresh the state; then run \`${words.run}\` again, which mirrors the bundle again.`,
  });
}

function provenanceOf(jobId: string, { format, sha256, sizeBytes }: ArchiveFacts, platform: string): Statement {
  return {
    predicateType: "https://github.com/pulumi-docs-platform/pulumi-docs-platform/mirror/v1",
    predicate: {
      platform,
      jobId,
      archive: { format, sha256, sizeBytes },
      tool: `pulumi-docs-platform ${packageVersion()}`,
    },
  };
}

/** Signs an image. The signature contains the time of the transfer. */
function sign(
  { owner, store }: OwnedImage,
  subject: Descriptor,
  facts: ArchiveFacts,
  signing: SigningKeys,
  signal: AbortSignal,
): Promise<EarlierSigner | undefined> {
  const { digest } = subject;
  const provenance = provenanceOf(owner.jobId, facts, signing.platform);
  return signImage({ store, digest, provenance }, subject, signing, facts.mirroredAt, signal);
}

/**
 * Publishes an image: first the mirror signs it, then it writes the record, then it sets the tag. If a run is killed or
 * stops between these steps, the seal in the record shows who owns the tag's image.
 */
async function publish(
  place: OwnedImage,
  earlierDigest: string | undefined,
  { facts, manifest }: Content,
  signal: AbortSignal,
  signing: SigningKeys | undefined,
): Promise<PublishResult> {
  const { tag, owner, store } = place;
  const digest = manifestDigest(manifest);
  const signed = signing && (await sign(place, await store.putManifest(manifest, signal), facts, signing, signal));
  const record = withSignature({ ...recordFactsOf(owner, facts), digest }, signing?.wanted);
  await place.write(record, false, signal);
  try {
    if (earlierDigest !== digest) {
      await store.putManifest(manifest, signal, tag);
    }
    if (owner.saved?.isReplaced) {
      await place.write(record, true, signal);
    }
    return { ...facts, digest, signed };
  } catch (error) {
    return { ...facts, digest, signed, stopped: asDocsPlatformError(error) };
  }
}

async function compare(
  record: ImageRecord,
  mirrored: MirroredContent,
  tag: string,
  store: ImageStore,
): Promise<Inspection> {
  const { digest, signed } = mirrored;
  const found = await store.getManifest(tag);
  if (found?.digest !== digest) {
    const what = found === undefined ? "the tag of the image is missing" : `the tag ${tag} points to another image`;
    return { kind: "differs", what };
  }
  if (found === undefined || !(await isWhole(found, store))) {
    return { kind: "differs", what: "a part of the image is missing" };
  }
  if (record.digest !== digest) {
    return { kind: "differs", what: `the record under ${recordTagOf(tag)} names another image` };
  }
  const provenance = provenanceOf(record.jobId, mirrored, signed?.platform ?? "");
  const unsigned = signed && (await missingSignature({ store, digest: found.digest, provenance }, signed));
  return { kind: "same", unsigned };
}

async function remove(
  record: ImageRecord,
  { digest, signed }: MirroredContent,
  tag: string,
  store: ImageStore,
  warn: (text: string) => void,
): Promise<void> {
  // If the tag refers to neither the image in the state nor the image in the record, another program has moved the tag.
  // Such a tag stays.
  const there = (await store.getManifest(tag))?.digest;
  const isOwn = there === digest || there === record.digest;
  const removed =
    (!isOwn || (await store.removeTag(tag))) &&
    (signed === undefined || (await unsignImage(store, String(digest), signed))) &&
    (await store.removeTag(recordTagOf(tag)));
  if (!removed) {
    warn(`the registry does not allow the deletion of ${store.reference(`:${tag}`)}: it stays there.`);
  }
}

async function isWhole({ manifest }: FoundManifest, store: ImageStore): Promise<boolean> {
  const images = manifest?.manifests
    ? await Promise.all(manifest.manifests.map(async ({ digest }) => (await store.getManifest(digest))?.manifest))
    : [manifest];
  const blobs = images.map((image) => (image?.config && image.layers ? [image.config, ...image.layers] : undefined));
  for (const digest of new Set(blobs.flat().map((blob) => blob?.digest))) {
    if (digest === undefined || !(await store.hasBlob(digest))) {
      return false;
    }
  }
  return true;
}
