import { digestAt, type ObjectDigest } from "../../storage/objectDigest";
import type { Store } from "../../storage/store";
import { jsonText, putText } from "../../storage/textFile";
import { clearingSignal } from "../../support/abort";
import { isoTime } from "../../support/time/duration";
import { type BundleFormat, bundleFormats } from "../archive/format";
import type { Measure } from "../transfer/measure";
import { type IncomingArchive, type Source, withIncomingArchive } from "../transfer/source";
import {
  type ArchiveFacts,
  archiveContentTypes,
  checksumText,
  type Manifest,
  manifestOf,
  maxManifestBytes,
  readArchiveManifest,
} from "./archiveManifest";
import { bundleOfOtherError, filesOfOthersError, filesStayText } from "./conflictErrors";
import { archiveFiles, manifestName } from "./fileNames";
import type { Inspection, Layout, Mirrored } from "./layout";
import { describeDifference } from "./layout";
import { isOwnerOf, type MirrorOwner, mirrorNameOf, othersIn } from "./mirrorOwner";

/**
 * Stores the archive as one object, named after its job, with a manifest and a checksum beside it (the sidecars). The
 * sidecars are written first, so the archive never exists without them. If a write fails, the earlier files are
 * restored. Mirrors of equal bytes share the files: the manifest names all these mirrors, and the last mirror removes
 * the files. An archive that the state does not name is never overwritten: it is shared if it equals the new archive,
 * and refused otherwise.
 */
export const archiveLayout: Layout = {
  put(source, owner, store, signal) {
    return withIncomingArchive(source, async (incoming) => {
      const existing = await findExistingArchive(owner, incoming.format, store);
      const context = { source, owner, existing, incoming, store, signal };
      return existing.unnamed ? share(existing.unnamed, context) : replace(context);
    });
  },

  async inspect(owner, mirrored, store) {
    const found = await inspectArchive(owner.jobId, mirrored, store);
    if (found.kind === "same" && !(await hasSidecars(owner, mirrored, store))) {
      return { kind: "differs", what: "the files beside the archive differ" };
    }
    const left = found.kind === "missing" ? await readManifest(owner.jobId, store) : undefined;
    // A removal that failed has left the manifest: the state keeps the mirror until that is gone, too.
    return left !== undefined && isOwnerOf(owner, left) ? { kind: "differs", what: "the archive is gone" } : found;
  },

  async repair(owner, mirrored, store, signal) {
    const found = await inspectArchive(owner.jobId, mirrored, store);
    if (found.kind !== "same") {
      return undefined;
    }
    const others = othersIn(await readManifest(owner.jobId, store), owner);
    await writeSidecars(owner.jobId, [...others, mirrorNameOf(owner)], mirrored, store, signal);
    return found.mirrored;
  },

  isUsed: async ({ jobId }, store) => (await readManifest(jobId, store)) !== undefined,

  async remove(owner, mirrored, store, { warn, signal }) {
    const { jobId } = owner;
    const { archive, checksum, manifest } = archiveFiles(jobId, mirrored.format);
    const there = await readManifest(jobId, store);
    if (there === undefined || !isOwnerOf(owner, there)) {
      return;
    }
    const others = othersIn(there, owner);
    if (others.length > 0) {
      warn(filesStayText(manifest));
      await writeSidecars(jobId, others, mirrored, store, signal);
      return;
    }
    await store.remove([archive, checksum]);
    // The manifest is removed last, so that a failed removal can be repeated.
    await store.remove([manifest]);
  },
};

/** The files that the destination contains under the names of a job, before its archive is stored. */
interface ExistingArchive {
  /** The earlier texts of the files beside the archive, by name; undefined for a missing file. The manifest is last. */
  sidecars: readonly (readonly [name: string, text: string | undefined])[];
  manifest: Manifest | undefined;
  /** The other mirrors of the same archive, as the manifest claims. */
  others: string[];
  /** True if the state names the files as files of this mirror. */
  own: boolean;
  /** The digest of an archive that the manifest claims, but that our state does not name. */
  unnamed: ObjectDigest | undefined;
}

/** @throws DestinationError if a file has one of the names and belongs to no mirror. */
async function findExistingArchive(owner: MirrorOwner, format: BundleFormat, store: Store): Promise<ExistingArchive> {
  const { jobId, knownFiles = [] } = owner;
  const names = archiveFiles(jobId, format);
  const text = await store.read(names.manifest, maxManifestBytes);
  const manifest = readArchiveManifest(jobId, text);
  const claimed = manifest ? Object.values(archiveFiles(jobId, manifest.format)) : [];
  const foreign = await store.stat(
    Object.values(names).filter((name) => !knownFiles.includes(name) && !claimed.includes(name)),
  );
  if (foreign.size > 0) {
    throw filesOfOthersError([...foreign.keys()], remedy);
  }
  return {
    sidecars: [
      [names.checksum, await store.read(names.checksum, maxManifestBytes)],
      [names.manifest, text],
    ],
    manifest,
    others: othersIn(manifest, owner),
    own: knownFiles.includes(names.manifest),
    unnamed: knownFiles.includes(names.archive) ? undefined : await digestAt(store, names.archive),
  };
}

const remedy = "move these files away, or give another destination";

interface PutContext {
  source: Source;
  owner: MirrorOwner;
  existing: ExistingArchive;
  incoming: IncomingArchive;
  store: Store;
  signal: AbortSignal;
}

/**
 * Shares the existing archive: checks that its bytes equal the new bytes, and only adds this mirror to the manifest.
 */
async function share(unnamed: ObjectDigest, context: PutContext): Promise<Mirrored> {
  const { source, owner, existing, incoming, store, signal } = context;
  const { format } = incoming;
  let measured: Measure = { sha256: "", sizeBytes: 0 };
  for await (const _ of incoming.content((measure) => {
    requireSameBundle(existing, measure);
    measured = measure;
  })) {
    // The content is read only to measure it.
  }
  if (unnamed.sha256 !== measured.sha256) {
    throw filesOfOthersError([archiveFiles(owner.jobId, format).archive], remedy);
  }
  const facts = { format, ...measured, mirroredAt: existing.manifest?.mirroredAt ?? isoTime(source.clock.now()) };
  await writeSidecars(owner.jobId, [...existing.others, mirrorNameOf(owner)], facts, store, signal);
  return { ...facts, revision: unnamed.revision };
}

async function replace({ source, owner, existing, incoming, store, signal }: PutContext): Promise<Mirrored> {
  const { format, expectedBytes, content } = incoming;
  const { archive } = archiveFiles(owner.jobId, format);
  const mirrors = [...existing.others, mirrorNameOf(owner)];
  let described = undefined as Mirrored | undefined;
  let isRead = false;
  let whole = false;
  const chunks = content(async (measure) => {
    requireSameBundle(existing, measure);
    described = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
    // A new mirror is added only after its archive is stored, so that a killed run leaves no unknown mirror in the
    // manifest.
    await writeSidecars(owner.jobId, existing.own ? mirrors : existing.others, described, store, signal);
    isRead = true;
  });
  try {
    const { revision } = await store.put(archive, chunks, {
      contentType: archiveContentTypes[format],
      expectedBytes,
      signal,
    });
    if (described === undefined) {
      throw new Error("the store has not read the archive to its end");
    }
    whole = true;
    if (!existing.own) {
      await writeSidecars(owner.jobId, mirrors, described, store, signal);
    }
    await removeOtherFormats(owner, format, store);
    return { ...described, revision };
  } catch (error) {
    // Without them nobody would know whose the archive is: where it may be there, the next run finds what a killed one leaves.
    if (existing.own || !isRead || (await isGone(archive, whole, store))) {
      await restoreSidecars(existing, store);
    }
    throw error;
  }
}

/** Whether an archive that was not there before is surely not there after its put: a store may have it although it said that it failed. */
function isGone(archive: string, isStored: boolean, store: Store): Promise<boolean> {
  const gone = isStored
    ? store.remove([archive], clearingSignal()).then(() => true)
    : store.stat([archive]).then((found) => !found.has(archive));
  return gone.catch(() => false);
}

function requireSameBundle({ others, manifest }: ExistingArchive, { sha256 }: Measure): void {
  if (others.length > 0 && manifest && manifest.sha256 !== sha256) {
    throw bundleOfOtherError(manifest);
  }
}

/** Writes the files beside an archive: the manifest first, since it names the owners of the other files. */
async function writeSidecars(
  jobId: string,
  mirrors: readonly string[],
  facts: ArchiveFacts,
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const { archive, checksum, manifest } = archiveFiles(jobId, facts.format);
  await putText(store, manifest, jsonText({ file: archive, ...manifestOf(jobId, mirrors, facts) }), signal);
  await putText(store, checksum, checksumText(jobId, facts), signal);
}

async function readManifest(jobId: string, store: Store): Promise<Manifest | undefined> {
  return readArchiveManifest(jobId, await store.read(manifestName(jobId), maxManifestBytes));
}

/** Restores the earlier files beside an archive. Never fails, since the earlier error must be reported. */
async function restoreSidecars({ sidecars }: ExistingArchive, store: Store): Promise<void> {
  const signal = clearingSignal();
  for (const [name, text] of sidecars) {
    await (text === undefined ? store.remove([name], signal) : putText(store, name, text, signal)).catch(() => {});
  }
}

/** Removes an archive of the same job in another format, if the state names it. */
async function removeOtherFormats(
  { jobId, knownFiles = [] }: MirrorOwner,
  format: BundleFormat,
  store: Store,
): Promise<void> {
  for (const other of bundleFormats) {
    const { archive, checksum } = archiveFiles(jobId, other);
    if (other !== format && knownFiles.includes(archive)) {
      await store.remove([archive, checksum]);
    }
  }
}

/** Compares the archive at the destination with the archive that was stored. */
async function inspectArchive(jobId: string, mirrored: Mirrored, store: Store): Promise<Inspection> {
  const { archive } = archiveFiles(jobId, mirrored.format);
  const there = (await store.stat([archive])).get(archive);
  if (there === undefined) {
    return { kind: "missing" };
  }
  const { sizeBytes, revision } = there;
  const written = revision !== mirrored.revision;
  const same = sizeBytes === mirrored.sizeBytes && (!written || (await store.sha256(archive)) === mirrored.sha256);
  return same
    ? { kind: "same", mirrored: { ...mirrored, revision } }
    : { kind: "differs", what: describeDifference([archive]) };
}

/** Returns true if the files beside an archive agree with the state. They may also name other mirrors. */
async function hasSidecars(owner: MirrorOwner, mirrored: Mirrored, store: Store): Promise<boolean> {
  const { jobId } = owner;
  const { checksum } = archiveFiles(jobId, mirrored.format);
  if ((await store.read(checksum, maxManifestBytes)) !== checksumText(jobId, mirrored)) {
    return false;
  }
  const there = await readManifest(jobId, store);
  return (
    there !== undefined &&
    isOwnerOf(owner, there) &&
    (["format", "sha256", "sizeBytes"] as const).every((fact) => there[fact] === mirrored[fact])
  );
}
