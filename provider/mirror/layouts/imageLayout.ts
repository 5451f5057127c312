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
import { isoTime } from "../../support/time/duration";
import { words } from "../../support/words";
import { hasSignature, withSignature } from "../signing/recordSignature";
import {
  missingSignature,
  requireSignable,
  type Signed,
  type Signing,
  signImage,
  unsignImage,
} from "../signing/signImage";
import { openArchive } from "../transfer/source";
import { type LayoutName, manifestName, siteManifestName } from "./fileNames";
import { storeArchive, storeSite } from "./imageContent";
import { type ImageRecord, putRecord, readRecord } from "./imageRecord";
import { recordTagOf, tagOf } from "./imageTags";
import type { Inspection, Mirrored, OpenMirror, Published } from "./layout";
import { type ArchiveFacts, factsOf } from "./manifest";
import { filesOfOthersError, filesStayText, isSealed, type MirrorOwner, requireOwnPlace, sealed } from "./mirrorOwner";
import { provenanceOf } from "./provenance";

/**
 * Stores a bundle as one image. The image becomes visible as a whole when its tag leads to it. The record beside it
 * names its owner. An earlier image of a site loses its tag, and stays as long as the registry keeps untagged images:
 * pods that are not updated yet may still pull it by its digest.
 */
export function imageLayout(layout: LayoutName, store: ImageStore): OpenMirror {
  const storeContent = layout === "site" ? storeSite : storeArchive;
  const placeOf = (owner: MirrorOwner): Place => {
    const { jobId, saved } = owner;
    const inState = saved?.files.includes(layout === "site" ? siteManifestName : manifestName(jobId)) ?? false;
    return { tag: tagOf(layout, jobId), inState, owner, store };
  };
  return {
    async put(source, owner, signal, signing) {
      const place = placeOf(owner);
      const before = await findExisting(place);
      requireFree(place, before);
      if (signing?.wanted !== undefined && before.record?.signature === undefined) {
        await requireSignable(store, signal);
      }
      const incoming = await openArchive(source);
      const isFirst = before.record === undefined;
      const { archive, manifest, outerFolder } = await storeContent(source, incoming, store, signal, isFirst);
      const facts = { format: incoming.format, ...archive, mirroredAt: isoTime(source.clock.now()) };
      const existing = await findExisting(place);
      requireFree(place, existing, { facts, manifest });
      return { ...(await publish(place, existing, { facts, manifest }, signal, signing)), outerFolder };
    },

    inspect: (owner, mirrored) => inspect(placeOf(owner), mirrored),

    async sign(owner, mirrored, signing, signal) {
      const place = placeOf(owner);
      const record = await readRecord(store, place.tag);
      const isOwn = record !== undefined && record !== "unreadable" && isSealed(record, owner);
      const key = signing.wanted;
      // A state alone does not say what is signed: whoever may write it could name any image.
      if (!isOwn || record.digest !== mirrored.digest || (key !== undefined && !hasSignature(record, key))) {
        throw notSigned(store, mirrored, "is not the one that this mirror has published, by the record beside its tag");
      }
      const found = await store.getManifest(record.digest);
      if (found === undefined || !(await isWhole(found, store))) {
        throw notSigned(store, mirrored, found === undefined ? "is missing" : "is missing a part");
      }
      const subject = { mediaType: mediaTypeOf(found.manifest ?? {}), digest: found.digest, size: found.size };
      return { ...mirrored, signed: await sign(place, subject, mirrored, signing, signal) };
    },

    isUsed: async ({ jobId }) => (await readRecord(store, tagOf(layout, jobId))) !== undefined,

    async remove(owner, mirrored, warn) {
      const { tag } = placeOf(owner);
      const record = await readRecord(store, tag);
      if (record === undefined || record === "unreadable" || !isSealed(record, owner)) {
        if (record !== undefined) {
          warn(filesStayText(store.reference(`:${recordTagOf(tag)}`)));
        }
        return;
      }
      // If the tag leads to another image, that image belongs to somebody else. A killed run may have moved the tag.
      const digest = (await store.getManifest(tag))?.digest;
      const isOwn = digest === mirrored.digest || digest === record.digest;
      const { signed } = mirrored;
      const removed =
        (!isOwn || (await store.removeTag(tag))) &&
        (signed === undefined || (await unsignImage(store, String(mirrored.digest), signed))) &&
        (await store.removeTag(recordTagOf(tag)));
      if (!removed) {
        warn(`the registry does not allow the deletion of ${store.reference(`:${tag}`)}: it stays there.`);
      }
    },

    address: (_, { digest }) => store.reference(`@${digest}`),
    close: () => store.close(),
  };
}

interface Place {
  tag: string;
  /** True if the state of this layout names the tag as this mirror's tag. */
  inState: boolean;
  owner: MirrorOwner;
  store: ImageStore;
}

interface Existing {
  /** The digest of the image that the tag leads to; undefined if there is no such tag. */
  digest: string | undefined;
  record: ImageRecord | undefined;
}

/** @throws DestinationError if the record's tag leads to something that is not a record. */
async function findExisting({ tag, inState, store }: Place): Promise<Existing> {
  const record = await readRecord(store, tag);
  if (record === "unreadable" && !inState) {
    throw tagOfOthersError(store, recordTagOf(tag));
  }
  const digest = (await store.getManifest(tag))?.digest;
  return { digest, record: record === "unreadable" ? undefined : record };
}

/**
 * Checks that this mirror may write to the tag. A tag that the state does not name may stay as it is, but is never
 * moved to another image.
 * @param made the content to be stored, once it is known.
 * @throws DestinationError if the place belongs to another mirror, or the tag leads to an image of others.
 */
function requireFree({ tag, inState, owner, store }: Place, { digest, record }: Existing, made?: Content): void {
  requireOwnPlace(record, owner, store.reference(`:${recordTagOf(tag)}`));
  const wanted = made ? manifestDigest(made.manifest) : record?.digest;
  if (digest !== undefined && !inState && digest !== wanted) {
    throw tagOfOthersError(store, tag);
  }
}

function tagOfOthersError(store: ImageStore, tag: string): DestinationError {
  return filesOfOthersError([store.reference(`:${tag}`)], "remove this tag, or give another repository");
}

interface Content {
  facts: ArchiveFacts;
  manifest: OciManifest | OciIndex;
}

function notSigned(store: ImageStore, { digest }: Mirrored, why: string): DestinationError {
  return new DestinationError({
    happened: `the image ${store.reference(`@${digest}`)} ${why}: it was not signed`,
    remedy: `refresh the state; then run \`${words.run}\` again, which mirrors the bundle anew.`,
  });
}

/** Signs an image. The time in a signature is that of the transfer. */
function sign(
  { owner, store }: Place,
  subject: Descriptor,
  facts: ArchiveFacts,
  signing: Signing,
  signal: AbortSignal,
): Promise<Signed | undefined> {
  const { digest } = subject;
  const provenance = provenanceOf(owner.jobId, facts, signing.platform);
  return signImage({ store, digest, provenance }, subject, signing, facts.mirroredAt, signal);
}

/**
 * No tag leads to an image before it is signed. The record comes before the tag: after a run that is killed or stops, its seal
 * shows whose the image under the tag is.
 */
async function publish(
  place: Place,
  existing: Existing,
  { facts, manifest }: Content,
  signal: AbortSignal,
  signing: Signing | undefined,
): Promise<Published> {
  const { tag, owner, store } = place;
  const digest = manifestDigest(manifest);
  const signed = signing && (await sign(place, await store.putManifest(manifest, signal), facts, signing, signal));
  const record = (isPublished: boolean) => recordOf(place, facts, digest, isPublished, signing?.wanted);
  await putRecord(store, tag, record(false), signal);
  try {
    if (existing.digest !== digest) {
      await store.putManifest(manifest, signal, tag);
    }
    if (owner.saved?.isReplaced) {
      await putRecord(store, tag, record(true), signal);
    }
    return { ...facts, digest, signed };
  } catch (error) {
    return { ...facts, digest, signed, stopped: asDocsPlatformError(error) };
  }
}

function recordOf(
  { owner }: Place,
  facts: ArchiveFacts,
  digest: string,
  isPublished: boolean,
  key: Signing["wanted"],
): ImageRecord {
  return sealed(withSignature({ ...factsOf(owner, facts), digest }, key), owner, isPublished);
}

async function inspect(place: Place, mirrored: Mirrored): Promise<Inspection> {
  const { tag, owner, store } = place;
  const record = await readRecord(store, tag);
  const isOwn = record !== undefined && record !== "unreadable" && isSealed(record, owner);
  const what = await differenceOfImage(place, mirrored);
  if (what === undefined) {
    const { jobId } = owner;
    const whole =
      isOwn && record.digest === mirrored.digest && record.jobId === jobId && record.sha256 === mirrored.sha256;
    return whole
      ? { kind: "same", unsigned: await unsignedReason(place, mirrored) }
      : { kind: "differs", what: `the record under ${recordTagOf(tag)} differs` };
  }
  return what === missing && !isOwn ? { kind: "missing" } : { kind: "differs", what };
}

async function unsignedReason({ owner, store }: Place, mirrored: Mirrored): Promise<string | undefined> {
  const { signed, digest } = mirrored;
  const provenance = provenanceOf(owner.jobId, mirrored, signed?.platform ?? "");
  return signed && missingSignature({ store, digest: String(digest), provenance }, signed);
}

const missing = "the tag of the image is missing";

async function differenceOfImage({ tag, store }: Place, { digest }: Mirrored): Promise<string | undefined> {
  const found = await store.getManifest(tag);
  if (found === undefined) {
    return missing;
  }
  if (found.digest !== digest) {
    return `the tag ${tag} points to another image`;
  }
  return (await isWhole(found, store)) ? undefined : "a part of the image is missing";
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
