import { isoTime } from "../../support/isoTime";
import { manifestDigest, type OciManifest, type OciStore } from "../stores/oci/store";
import { receive } from "../transfer/source";
import { type ArchiveFacts, manifestOf } from "./archiveManifest";
import { bundleOfOtherError, filesOfOthersError } from "./conflictErrors";
import { type LayoutName, manifestName, siteManifestName } from "./fileNames";
import { type StoreContent, storeArchive, storeSite } from "./imageContent";
import { type ImageRecord, otherMirrorsOf, ownMirrorsOf, putRecord, readRecord } from "./imageRecord";
import { recordTagOf, tagOf } from "./imageTags";
import type { Inspection, Layout, Mirrored } from "./layout";
import type { MirrorOwner } from "./mirrorOwner";

/** The layouts of a registry, where each bundle is one image, or one artifact, under one tag. */
export const imageLayouts: Readonly<Record<LayoutName, Layout<OciStore>>> = {
  archive: imageLayout("archive", storeArchive),
  site: imageLayout("site", storeSite),
};

/**
 * Stores a bundle as one image. It is visible as a whole from the moment at which its tag leads to it. The record beside it
 * tells whose it is. An earlier image of a site loses its tag, and stays as long as the registry keeps such images: pods that
 * have not rolled yet may still pull it by its digest.
 */
function imageLayout(layout: LayoutName, storeContent: StoreContent): Layout<OciStore> {
  const placeOf = (owner: MirrorOwner, store: OciStore): Place => ({ tag: tagOf(layout, owner.jobId), owner, store });
  return {
    async put(source, owner, store, signal) {
      const place = placeOf(owner, store);
      requireFree(place, await findExisting(place));
      return receive(source, async (incoming) => {
        const { archive, manifest } = await storeContent(source, incoming, store, signal);
        const facts = { format: incoming.format, ...archive, mirroredAt: isoTime(source.clock.now()) };
        const existing = await findExisting(place);
        requireFree(place, existing, facts);
        return publish(place, existing, { facts, manifest }, signal);
      });
    },

    inspect: (owner, mirrored, store) => inspect(placeOf(owner, store), mirrored),

    async repair(owner, mirrored, store, signal) {
      const place = placeOf(owner, store);
      if ((await differenceOfImage(place, mirrored)) !== undefined) {
        return undefined;
      }
      const record = await readRecord(store, place.tag);
      const others = record && record.digest === mirrored.revision ? otherMirrorsOf(record, owner) : [];
      const repaired = recordOf(place, mirrored, mirrored.revision ?? "", record);
      await putRecord(store, place.tag, owner, repaired, [...others, owner.mirror], signal);
      return mirrored;
    },

    async remove(owner, mirrored, store, warn) {
      const { tag } = placeOf(owner, store);
      const record = await readRecord(store, tag);
      if (record === undefined || record.jobId !== owner.jobId || ownMirrorsOf(record, owner).length === 0) {
        return;
      }
      const others = otherMirrorsOf(record, owner);
      const { signal } = new AbortController();
      if (others.length > 0) {
        await putRecord(store, tag, owner, record, others, signal);
        return;
      }
      // Where the tag leads to another image, that one is somebody else's.
      const own = (await store.getManifest(tag))?.digest === mirrored.revision;
      const removed = (!own || (await store.removeTag(tag))) && (await store.removeTag(recordTagOf(tag)));
      if (!removed) {
        warn(`the registry does not let ${store.reference(`:${tag}`)} be deleted: it stays, and belongs to no mirror.`);
        await putRecord(store, tag, owner, record, [], signal);
      }
    },
  };
}

/** The place of one image in a repository. */
interface Place {
  tag: string;
  owner: MirrorOwner;
  store: OciStore;
}

/** What the repository contains under a tag before a mirror writes. */
interface Existing {
  /** The digest that the tag leads to. */
  digest: string | undefined;
  record: ImageRecord | undefined;
  /** Whether it belongs to this mirror or to a predecessor. */
  own: boolean;
  others: string[];
}

async function findExisting({ tag, owner, store }: Place): Promise<Existing> {
  const record = await readRecord(store, tag);
  const { knownFiles = [], jobId } = owner;
  const inState = knownFiles.includes(siteManifestName) || knownFiles.includes(manifestName(jobId));
  return {
    digest: (await store.getManifest(tag))?.digest,
    record,
    own: inState || (record !== undefined && ownMirrorsOf(record, owner).length > 0),
    others: record === undefined ? [] : otherMirrorsOf(record, owner),
  };
}

/**
 * @param facts of the archive to store, once they are known.
 * @throws DestinationError if the tag leads to an image of others, or to another bundle of another mirror.
 */
function requireFree({ tag, owner, store }: Place, existing: Existing, facts?: ArchiveFacts): void {
  const { digest, record, own, others } = existing;
  if (record && others.length > 0 && (record.jobId !== owner.jobId || (facts && facts.sha256 !== record.sha256))) {
    throw bundleOfOtherError(record);
  }
  if (digest !== undefined && !own && digest !== record?.digest) {
    throw filesOfOthersError([store.reference(`:${tag}`)], "remove this tag, or give another repository");
  }
}

interface Content {
  facts: ArchiveFacts;
  manifest: OciManifest;
}

async function publish(
  place: Place,
  { digest: before, record, own, others }: Existing,
  { facts, manifest }: Content,
  signal: AbortSignal,
): Promise<Mirrored> {
  const { tag, owner, store } = place;
  const digest = manifestDigest(manifest);
  const mirrors = [...others, owner.mirror];
  if (record && others.length > 0 && before === digest) {
    await putRecord(store, tag, owner, record, mirrors, signal);
    const { format, sha256, sizeBytes, mirroredAt } = record;
    return { format, sha256, sizeBytes, mirroredAt, revision: digest };
  }
  const next = recordOf(place, facts, digest, record);
  try {
    if (!own) {
      // A new mirror is added only after its image is stored, so that a killed run leaves no unknown mirror in the record.
      await putRecord(store, tag, owner, next, others, signal);
    }
    await store.putManifest(tag, manifest, signal);
    await putRecord(store, tag, owner, next, mirrors, signal);
  } catch (error) {
    await withdraw(place, before, record, own);
    throw error;
  }
  return { ...facts, revision: digest };
}

/** Takes a new image away that has no record. It never fails: the error before it is the cause to report. */
async function withdraw(
  { tag, owner, store }: Place,
  before: string | undefined,
  record: ImageRecord | undefined,
  own: boolean,
): Promise<void> {
  if (before === undefined && record === undefined && !own) {
    await store.removeTag(tag).catch(() => {});
    await store.removeTag(recordTagOf(tag)).catch(() => {});
  } else if (record !== undefined && !own) {
    const { signal } = new AbortController();
    await putRecord(store, tag, owner, record, otherMirrorsOf(record, owner), signal).catch(() => {});
  }
}

function recordOf({ owner }: Place, facts: ArchiveFacts, digest: string, before: ImageRecord | undefined): ImageRecord {
  return { ...manifestOf(owner.jobId, [], facts), digest, seals: before?.digest === digest ? before.seals : undefined };
}

async function inspect(place: Place, mirrored: Mirrored): Promise<Inspection> {
  const { tag, owner, store } = place;
  const record = await readRecord(store, tag);
  const isOwn = record !== undefined && record.jobId === owner.jobId && ownMirrorsOf(record, owner).length > 0;
  const what = await differenceOfImage(place, mirrored);
  if (what === undefined) {
    const whole = isOwn && record.digest === mirrored.revision;
    return whole
      ? { kind: "same", mirrored }
      : { kind: "differs", what: `the record under ${recordTagOf(tag)} differs` };
  }
  return what === missing && !isOwn ? { kind: "missing" } : { kind: "differs", what };
}

const missing = "the tag of the image is missing";

/** What is not as it was stored, for a person. */
async function differenceOfImage({ tag, store }: Place, { revision }: Mirrored): Promise<string | undefined> {
  const found = await store.getManifest(tag);
  if (found === undefined) {
    return missing;
  }
  if (found.digest !== revision) {
    return `the tag ${tag} leads to another image`;
  }
  for (const { digest } of [found.manifest.config, ...found.manifest.layers]) {
    if (!(await store.hasBlob(digest))) {
      return "a part of the image is missing";
    }
  }
  return undefined;
}
