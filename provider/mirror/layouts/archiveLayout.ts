import { isoTime } from "../../support/isoTime";
import type { ArchiveFormat } from "../archive/format";
import type { Store } from "../stores/store";
import { jsonText, putText } from "../stores/textFile";
import type { Measure } from "../transfer/measure";
import { type IncomingArchive, receive, type Source } from "../transfer/source";
import {
  type ArchiveFacts,
  archiveContentTypes,
  checksumText,
  type Manifest,
  manifestOf,
  readArchiveManifest,
} from "./archiveManifest";
import { bundleOfOtherError, filesOfOthersError } from "./conflictErrors";
import { describeDifference } from "./difference";
import { archiveFiles, manifestName } from "./fileNames";
import type { Inspection, Layout, Mirrored } from "./layout";
import { type MirrorOwner, ownersOf, ownMirrorsIn } from "./mirrorOwner";

/**
 * Stores the archive as one object, named after its job, with a manifest and a checksum beside it (the sidecars). They
 * are written first, so the archive never exists without them. If a write fails, the earlier files are restored. Mirrors
 * of the same bytes share the files: the manifest names all of them, and the last mirror removes the files.
 */
export const archiveLayout: Layout = {
  put(source, owner, store, signal) {
    return receive(source, async (incoming) => {
      const existing = await findExistingArchive(owner, incoming.format, store);
      return existing.shared
        ? share(existing.shared, { owner, existing, incoming, store, signal })
        : replace(source, { owner, existing, incoming, store, signal });
    });
  },

  async inspect(owner, mirrored, store) {
    const found = await inspectArchive(owner.jobId, mirrored, store);
    return found.kind === "same" && !(await hasSidecars(owner, mirrored, store))
      ? { kind: "differs", what: "the files beside the archive differ" }
      : found;
  },

  async repair(owner, mirrored, store, signal) {
    const found = await inspectArchive(owner.jobId, mirrored, store);
    if (found.kind !== "same") {
      return undefined;
    }
    const others = othersIn(await readManifest(owner.jobId, store), owner);
    const manifestBytes = await writeSidecars(owner.jobId, [...others, owner.mirror], mirrored, store, signal);
    return { ...found.mirrored, manifestBytes };
  },

  async remove({ jobId, mirror }, { format }, store) {
    const { archive, checksum, manifest } = archiveFiles(jobId, format);
    const there = await readManifest(jobId, store);
    if (there === undefined || !ownersOf(there).includes(mirror)) {
      return;
    }
    const others = ownersOf(there).filter((other) => other !== mirror);
    if (others.length > 0) {
      await writeSidecars(jobId, others, there, store, new AbortController().signal);
      return;
    }
    await store.remove([archive, checksum]);
    // The manifest is removed last, so that a failed removal can be repeated.
    await store.remove([manifest]);
  },
};

/** What the destination contains under the names of a job, before its archive is stored. */
interface ExistingArchive {
  /** The earlier texts beside the archive, by name; undefined for a missing one. The manifest is last. */
  sidecars: readonly (readonly [name: string, text: string | undefined])[];
  manifest: Manifest | undefined;
  /** The other mirrors of the same archive. */
  others: string[];
  /** Whether the files already belong to this mirror. */
  own: boolean;
  /** The archive of the others, if it is certainly whole. */
  shared: Mirrored | undefined;
}

/** @throws DestinationError if a file has one of the names and belongs to no mirror. */
async function findExistingArchive(owner: MirrorOwner, format: ArchiveFormat, store: Store): Promise<ExistingArchive> {
  const { jobId, knownFiles = [] } = owner;
  const names = archiveFiles(jobId, format);
  const text = await store.read(names.manifest);
  const manifest = manifestIn(jobId, text);
  const known = [...knownFiles, ...(manifest ? Object.values(archiveFiles(jobId, manifest.format)) : [])];
  const foreign = await store.stat(Object.values(names).filter((name) => !known.includes(name)));
  if (foreign.size > 0) {
    throw filesOfOthersError([...foreign.keys()], "move them away, or give another destination");
  }
  const others = othersIn(manifest, owner);
  const found = manifest && others.length > 0 ? await inspectArchive(jobId, manifest, store) : undefined;
  return {
    sidecars: [
      [names.checksum, await store.read(names.checksum)],
      [names.manifest, text],
    ],
    manifest,
    others,
    own:
      knownFiles.includes(names.manifest) || (manifest !== undefined && ownMirrorsIn(manifest, [], owner).length > 0),
    shared: found?.kind === "same" ? found.mirrored : undefined,
  };
}

interface PutContext {
  owner: MirrorOwner;
  existing: ExistingArchive;
  incoming: IncomingArchive;
  store: Store;
  signal: AbortSignal;
}

/** Checks that the bytes are the same, and only adds this mirror to the manifest. */
async function share(shared: Mirrored, { owner, existing, incoming, store, signal }: PutContext): Promise<Mirrored> {
  for await (const _ of incoming.content((measure) => requireSameBytes(existing, measure))) {
    // The content is read only to measure it.
  }
  const manifestBytes = await writeSidecars(owner.jobId, [...existing.others, owner.mirror], shared, store, signal);
  return { ...shared, manifestBytes };
}

async function replace(source: Source, { owner, existing, incoming, store, signal }: PutContext): Promise<Mirrored> {
  const { format, expectedBytes, content } = incoming;
  const { archive } = archiveFiles(owner.jobId, format);
  const mirrors = [...existing.others, owner.mirror];
  let described = undefined as Mirrored | undefined;
  let whole = false;
  const chunks = content(async (measure) => {
    requireSameBytes(existing, measure);
    const facts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
    // A new mirror is added only after its archive is stored, so that a killed run leaves no unknown mirror in the
    // manifest.
    const named = existing.own ? mirrors : existing.others;
    described = { ...facts, manifestBytes: await writeSidecars(owner.jobId, named, facts, store, signal) };
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
      described.manifestBytes = await writeSidecars(owner.jobId, mirrors, described, store, signal);
    }
    await removeOtherFormat(format, existing.manifest, store);
    return { ...described, revision };
  } catch (error) {
    if (whole && existing.manifest === undefined && !existing.own) {
      await store.remove([archive]).catch(() => {});
    }
    await restoreSidecars(existing, store);
    throw error;
  }
}

function requireSameBytes({ others, manifest }: ExistingArchive, { sha256 }: Measure): void {
  if (others.length > 0 && manifest && manifest.sha256 !== sha256) {
    throw bundleOfOtherError(manifest);
  }
}

/**
 * Writes the files beside an archive: the manifest first, since it names the owners of the other files.
 * @returns the manifest's size in bytes.
 */
async function writeSidecars(
  jobId: string,
  mirrors: readonly string[],
  facts: ArchiveFacts,
  store: Store,
  signal: AbortSignal,
): Promise<number> {
  const { archive, checksum, manifest } = archiveFiles(jobId, facts.format);
  const text = jsonText({ file: archive, ...manifestOf(jobId, mirrors, facts) });
  const { sizeBytes } = await putText(store, manifest, text, signal);
  await putText(store, checksum, checksumText(jobId, facts), signal);
  return sizeBytes;
}

async function readManifest(jobId: string, store: Store): Promise<Manifest | undefined> {
  return manifestIn(jobId, await store.read(manifestName(jobId)));
}

function manifestIn(jobId: string, text: string | undefined): Manifest | undefined {
  const manifest = readArchiveManifest(text);
  return manifest?.jobId === jobId ? manifest : undefined;
}

function othersIn(manifest: Manifest | undefined, owner: MirrorOwner): string[] {
  const own = manifest ? ownMirrorsIn(manifest, [], owner) : [];
  return manifest ? ownersOf(manifest).filter((mirror) => !own.includes(mirror)) : [];
}

/** It never fails: the error before it is the cause to report. */
async function restoreSidecars({ sidecars }: ExistingArchive, store: Store): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, text] of sidecars) {
    await (text === undefined ? store.remove([name]) : putText(store, name, text, signal)).catch(() => {});
  }
}

/** Removes an earlier archive of the same job in another format. The new manifest has already replaced its manifest. */
async function removeOtherFormat(format: ArchiveFormat, earlier: Manifest | undefined, store: Store): Promise<void> {
  if (earlier && earlier.format !== format) {
    const { archive, checksum } = archiveFiles(earlier.jobId, earlier.format);
    await store.remove([archive, checksum]);
  }
}

/** Compares the archive at the destination with the one that was stored. */
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

/** Whether the files beside an archive are as expected. A manifest of another size may name more mirrors. */
async function hasSidecars({ jobId, mirror }: MirrorOwner, mirrored: Mirrored, store: Store): Promise<boolean> {
  const { checksum, manifest } = archiveFiles(jobId, mirrored.format);
  const found = await store.stat([checksum, manifest]);
  if (found.get(checksum)?.sizeBytes !== Buffer.byteLength(checksumText(jobId, mirrored))) {
    return false;
  }
  if (found.get(manifest)?.sizeBytes === mirrored.manifestBytes) {
    return true;
  }
  const there = await readManifest(jobId, store);
  return there !== undefined && there.sha256 === mirrored.sha256 && ownersOf(there).includes(mirror);
}
