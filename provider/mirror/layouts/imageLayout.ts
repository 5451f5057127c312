import {
  type FoundManifest,
  manifestDigest,
  type OciIndex,
  type OciManifest,
  type OciStore,
} from "../../storage/oci/store";
import { clearingSignal } from "../../support/abort";
import type { DestinationError } from "../../support/errors";
import { isoTime } from "../../support/time/duration";
import { withIncomingArchive } from "../transfer/source";
import { type ArchiveFacts, manifestOf } from "./archiveManifest";
import { bundleOfOtherError, filesOfOthersError, filesStayText } from "./conflictErrors";
import { type LayoutName, manifestName, siteManifestName } from "./fileNames";
import { type StoreContent, storeArchive, storeSite } from "./imageContent";
import { type ImageRecord, putRecord, readRecord } from "./imageRecord";
import { recordTagOf, tagOf } from "./imageTags";
import type { Inspection, Layout, Mirrored } from "./layout";
import { isOwnerOf, type MirrorOwner, mirrorNameOf, othersIn } from "./mirrorOwner";

/** The layouts of a registry. Each bundle is one image or one artifact under one tag. */
export const imageLayouts: Readonly<Record<LayoutName, Layout<OciStore>>> = {
  archive: imageLayout("archive", storeArchive),
  site: imageLayout("site", storeSite),
};

/**
 * Stores a bundle as one image. The image becomes visible as a whole when its tag leads to it. The record beside it
 * names its owners. An earlier image of a site loses its tag, and stays as long as the registry keeps untagged images:
 * pods that are not updated yet may still pull it by its digest.
 */
function imageLayout(layout: LayoutName, storeContent: StoreContent): Layout<OciStore> {
  const placeOf = (owner: MirrorOwner, store: OciStore): Place => {
    const { jobId, knownFiles = [] } = owner;
    const inState = knownFiles.includes(layout === "site" ? siteManifestName : manifestName(jobId));
    return { tag: tagOf(layout, jobId), inState, owner, store };
  };
  return {
    async put(source, owner, store, signal) {
      const place = placeOf(owner, store);
      requireFree(place, await findExisting(place));
      return withIncomingArchive(source, async (incoming) => {
        const { archive, manifest } = await storeContent(source, incoming, store, signal);
        const facts = { format: incoming.format, ...archive, mirroredAt: isoTime(source.clock.now()) };
        const existing = await findExisting(place);
        requireFree(place, existing, { facts, manifest });
        return publish(place, existing, { facts, manifest }, signal);
      });
    },

    inspect: (owner, mirrored, store) => inspect(placeOf(owner, store), mirrored),

    async repair(owner, mirrored, store, signal) {
      const place = placeOf(owner, store);
      if ((await differenceOfImage(place, mirrored)) !== undefined) {
        return undefined;
      }
      const found = await readRecord(store, place.tag);
      const record = found === "unreadable" ? undefined : found;
      const others = record && record.digest === mirrored.revision ? othersIn(record, owner) : [];
      const repaired = recordOf(place, mirrored, mirrored.revision ?? "");
      await putRecord(store, place.tag, repaired, [...others, mirrorNameOf(owner)], signal);
      return mirrored;
    },

    isUsed: async ({ jobId }, store) => (await readRecord(store, tagOf(layout, jobId))) !== undefined,

    async remove(owner, mirrored, store, { warn, signal }) {
      const { tag } = placeOf(owner, store);
      const record = await readRecord(store, tag);
      if (record === undefined || record === "unreadable" || !isOwnerOf(owner, record)) {
        return;
      }
      const others = othersIn(record, owner);
      if (others.length > 0) {
        await putRecord(store, tag, record, others, signal);
        warn(filesStayText(store.reference(`:${recordTagOf(tag)}`)));
        return;
      }
      // If the tag leads to another image, that image belongs to somebody else.
      const own = (await store.getManifest(tag))?.digest === mirrored.revision;
      const removed = (!own || (await store.removeTag(tag))) && (await store.removeTag(recordTagOf(tag)));
      if (!removed) {
        warn(
          `the registry does not allow the deletion of ${store.reference(`:${tag}`)}: it stays there, and belongs to no mirror.`,
        );
        await putRecord(store, tag, record, [], signal);
      }
    },
  };
}

/** The place of one image in a repository. */
interface Place {
  tag: string;
  /** True if the state of this layout names the tag as this mirror's tag. */
  inState: boolean;
  owner: MirrorOwner;
  store: OciStore;
}

/** The content under a tag of the repository before a mirror writes. */
interface Existing {
  /** The digest of the image that the tag leads to; undefined if there is no such tag. */
  digest: string | undefined;
  /** The claims of the record about the image. */
  record: ImageRecord | undefined;
  others: string[];
}

/** @throws DestinationError if the record's tag leads to something that is not a record. */
async function findExisting({ tag, inState, owner, store }: Place): Promise<Existing> {
  const record = await readRecord(store, tag);
  if (record === "unreadable" && !inState) {
    throw tagOfOthersError(store, recordTagOf(tag));
  }
  const claimed = record === "unreadable" ? undefined : record;
  return { digest: (await store.getManifest(tag))?.digest, record: claimed, others: othersIn(claimed, owner) };
}

/**
 * Checks that this mirror may write to the tag. A tag that the state does not name may stay as it is, but is never
 * moved to another image.
 * @param made the content to be stored, once it is known.
 * @throws DestinationError if the tag leads to an image of others, or to another bundle of another mirror.
 */
function requireFree({ tag, inState, owner, store }: Place, existing: Existing, made?: Content): void {
  const { digest, record, others } = existing;
  if (record && others.length > 0 && (record.jobId !== owner.jobId || (made && made.facts.sha256 !== record.sha256))) {
    throw bundleOfOtherError(record);
  }
  const wanted = made ? manifestDigest(made.manifest) : record?.digest;
  if (digest !== undefined && !inState && digest !== wanted) {
    throw tagOfOthersError(store, tag);
  }
}

function tagOfOthersError(store: OciStore, tag: string): DestinationError {
  return filesOfOthersError([store.reference(`:${tag}`)], "remove this tag, or give another repository");
}

interface Content {
  facts: ArchiveFacts;
  manifest: OciManifest | OciIndex;
}

async function publish(
  place: Place,
  { digest: before, record, others }: Existing,
  { facts, manifest }: Content,
  signal: AbortSignal,
): Promise<Mirrored> {
  const { tag, inState, owner, store } = place;
  const digest = manifestDigest(manifest);
  const next = recordOf(place, facts, digest);
  try {
    if (before !== digest) {
      if (!inState) {
        // A new mirror is added only after its image is stored, so that a killed run leaves no unknown mirror in the record.
        await putRecord(store, tag, next, others, signal);
      }
      await store.putManifest(manifest, signal, tag);
    }
    await putRecord(store, tag, next, [...others, mirrorNameOf(owner)], signal);
  } catch (error) {
    await withdraw(place, before, record);
    throw error;
  }
  return { ...facts, revision: digest };
}

/**
 * Undoes a failed publication if the state does not name the tag: restores the earlier record, or removes the new tags.
 * Never fails, since the earlier error must be reported.
 */
async function withdraw(
  { tag, inState, owner, store }: Place,
  before: string | undefined,
  record: ImageRecord | undefined,
): Promise<void> {
  if (inState) {
    return;
  }
  if (record !== undefined) {
    await putRecord(store, tag, record, othersIn(record, owner), clearingSignal()).catch(() => {});
  } else if (before === undefined) {
    await store.removeTag(tag, clearingSignal()).catch(() => {});
    await store.removeTag(recordTagOf(tag), clearingSignal()).catch(() => {});
  }
}

function recordOf({ owner }: Place, facts: ArchiveFacts, digest: string): ImageRecord {
  return { ...manifestOf(owner.jobId, [], facts), digest };
}

async function inspect(place: Place, mirrored: Mirrored): Promise<Inspection> {
  const { tag, owner, store } = place;
  const record = await readRecord(store, tag);
  const isOwn = record !== undefined && record !== "unreadable" && isOwnerOf(owner, record);
  const what = await differenceOfImage(place, mirrored);
  if (what === undefined) {
    const { jobId } = owner;
    const whole =
      isOwn && record.digest === mirrored.revision && record.jobId === jobId && record.sha256 === mirrored.sha256;
    return whole
      ? { kind: "same", mirrored }
      : { kind: "differs", what: `the record under ${recordTagOf(tag)} differs` };
  }
  return what === missing && !isOwn ? { kind: "missing" } : { kind: "differs", what };
}

const missing = "the tag of the image is missing";

/** Returns what differs from the stored image, for a person; undefined if nothing differs. */
async function differenceOfImage({ tag, store }: Place, { revision }: Mirrored): Promise<string | undefined> {
  const found = await store.getManifest(tag);
  if (found === undefined) {
    return missing;
  }
  if (found.digest !== revision) {
    return `the tag ${tag} points to another image`;
  }
  return (await isWhole(found, store)) ? undefined : "a part of the image is missing";
}

/**
 * Returns true if all parts of a manifest, or of each manifest of an index, exist. Their digests show that they are the
 * stored parts.
 */
async function isWhole({ manifest }: FoundManifest, store: OciStore): Promise<boolean> {
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
