import type { Store } from "../../storage/store";
import type { Source } from "../transfer/source";
import { describeDifference, type Inspection, type Mirrored, unfinishedPublication } from "./layout";
import {
  type ArchiveFacts,
  factsOf,
  getManifest,
  type Manifest,
  type PublishedFile,
  pathsOf,
  putManifest,
} from "./manifest";
import { filesStayText, isSealed, type MirrorOwner, requireOwnPlace, sealed } from "./mirrorOwner";

/* The layouts of a store have this in common: a manifest lists the files before they come, and until they are gone. */

export interface FilesPlace {
  store: Store;
  owner: MirrorOwner;
  manifestName: string;
}

export interface Existing {
  /** A claim, unless it is sealed. */
  manifest: Manifest | undefined;
  isUnreadable: boolean;
  /** True if the manifest has the seal of the state's publication. */
  isOwn: boolean;
}

export async function findExisting({ store, owner, manifestName }: FilesPlace): Promise<Existing> {
  const found = await getManifest(store, manifestName);
  const manifest = found === "unreadable" ? undefined : found;
  return {
    manifest,
    isUnreadable: found === "unreadable",
    isOwn: manifest !== undefined && isSealed(manifest, owner),
  };
}

/** @throws DestinationError if the place belongs to another mirror. */
export async function findOwn(place: FilesPlace): Promise<Existing> {
  const existing = await findExisting(place);
  requireOwnPlace(existing.manifest, place.owner, place.manifestName);
  return existing;
}

export function isInState({ owner: { saved }, manifestName }: FilesPlace): boolean {
  return saved?.files.includes(manifestName) ?? false;
}

/**
 * Lists the new files beside the earlier ones, before the first of them comes. From then on a publication that stops is
 * kept in the state, to be completed or removed.
 */
export async function announce(
  place: FilesPlace,
  { manifest: before, isOwn }: Existing,
  facts: ArchiveFacts,
  paths: readonly string[],
  { warn }: Pick<Source, "warn">,
  signal: AbortSignal,
): Promise<void> {
  const { store, owner, manifestName } = place;
  if (!isOwn && isInState(place)) {
    warn(`${changed(manifestName)}: files of an earlier version may remain there.`);
  }
  const next = { ...factsOf(owner, facts), files: [] };
  // Until the end, the manifest names the old job, so that what is there can still be removed as the files of that job.
  const base: Omit<Manifest, "seals"> = before && isOwn ? { ...before, owner: next.owner } : next;
  const listed = new Set(base.files.map(({ path }) => path));
  const pending = [...new Set([...(base.pending ?? []), ...paths])].filter((path) => !listed.has(path));
  await putManifest(store, manifestName, sealed({ ...base, pending }, owner, false), signal);
}

export async function complete(
  { store, owner, manifestName }: FilesPlace,
  facts: ArchiveFacts,
  files: PublishedFile[],
  signal: AbortSignal,
): Promise<void> {
  await putManifest(store, manifestName, sealed({ ...factsOf(owner, facts), files }, owner, true), signal);
}

export async function inspectFiles(
  place: FilesPlace,
  { sha256 }: Mirrored,
  hasFiles: () => Promise<boolean>,
): Promise<Inspection> {
  const { manifest, isOwn } = await findExisting(place);
  if (manifest === undefined && !(await hasFiles())) {
    return { kind: "missing" };
  }
  if (manifest === undefined || !isOwn) {
    return { kind: "differs", what: changed(place.manifestName) };
  }
  if (manifest.pending) {
    return { kind: "differs", what: unfinishedPublication };
  }
  if (manifest.jobId !== place.owner.jobId || manifest.sha256 !== sha256) {
    return { kind: "differs", what: "the list of files belongs to another bundle" };
  }
  return compare(manifest, place.store);
}

/** Compares the files at a place with a sealed list. A file with a new revision is compared by sha256. */
async function compare({ files }: Manifest, store: Store): Promise<Inspection> {
  const found = await store.stat(files.map(({ path }) => path));
  const differing: string[] = [];
  for (const { path, sizeBytes, sha256, revision } of files) {
    const there = found.get(path);
    const isSame =
      there?.sizeBytes === sizeBytes && (there.revision === revision || (await store.sha256(path)) === sha256);
    if (!isSame) {
      differing.push(path);
    }
  }
  return differing.length === 0 ? { kind: "same" } : { kind: "differs", what: describeDifference(differing) };
}

/** Removes the files of a sealed list. Another list permits nothing. */
export async function removeFiles(
  place: FilesPlace,
  hasFiles: () => Promise<boolean>,
  warn: (text: string) => void,
): Promise<void> {
  const { store, manifestName } = place;
  const { manifest, isOwn } = await findExisting(place);
  if (manifest !== undefined && isOwn) {
    await store.remove(pathsOf(manifest));
    // The manifest is removed last, so that a failed removal can be repeated.
    await store.remove([manifestName]);
  } else if (await hasFiles()) {
    warn(filesStayText(manifestName));
  }
}

function changed(manifestName: string): string {
  return `the list of files at the destination (${manifestName}) is not the one that this mirror wrote`;
}
