import { hash } from "node:crypto";
import { digestAt, type ObjectDigest } from "../../storage/objectDigest";
import type { Store } from "../../storage/store";
import { putText } from "../../storage/textFile";
import { asDocsPlatformError } from "../../support/errors";
import { isoTime } from "../../support/time/duration";
import { type IncomingArchive, openArchive, type Source } from "../transfer/source";
import { archiveFiles, manifestName } from "./fileNames";
import type { Mirrored, OpenMirror, Published } from "./layout";
import { type ArchiveFacts, archiveContentTypes, maxManifestBytes, type PublishedFile, pathsOf } from "./manifest";
import { filesOfOthersError, type MirrorOwner } from "./mirrorOwner";
import {
  announce,
  complete,
  type Existing,
  type FilesPlace,
  findExisting,
  findOwn,
  inspectFiles,
  removeFiles,
} from "./publication";

/**
 * Stores the archive as one object, named after its job, with a manifest and a checksum beside it. These two come first,
 * so the archive never exists without them. An archive that the state does not name is never overwritten: it is taken
 * over if it equals the new archive, and refused otherwise.
 */
export function archiveLayout(store: Store): OpenMirror {
  const placeOf = (owner: MirrorOwner): FilesPlace => ({ store, owner, manifestName: manifestName(owner.jobId) });
  const filesAt =
    ({ jobId }: MirrorOwner, { format }: Mirrored) =>
    async () =>
      (await store.stat(Object.values(archiveFiles(jobId, format)))).size > 0;
  return {
    async put(source, owner, signal) {
      const place = placeOf(owner);
      await findOwn(place);
      return publish(place, source, await openArchive(source), signal);
    },
    inspect: (owner, mirrored) => inspectFiles(placeOf(owner), mirrored, filesAt(owner, mirrored)),
    isUsed: async (owner) => (await findExisting(placeOf(owner))).manifest !== undefined,
    remove: (owner, mirrored, warn) => removeFiles(placeOf(owner), filesAt(owner, mirrored), warn),
    address: (jobId, { format }) => store.address(archiveFiles(jobId, format).archive),
    close: () => store.close(),
  };
}

async function publish(
  place: FilesPlace,
  source: Source,
  { format, expectedBytes, content }: IncomingArchive,
  signal: AbortSignal,
): Promise<Published> {
  const { store, owner } = place;
  const { archive, checksum } = archiveFiles(owner.jobId, format);
  const existing = await findOwn(place);
  const own = existing.manifest && existing.isOwn ? pathsOf(existing.manifest) : [];
  const unnamed = await findUnnamed(place, existing, own, { archive, checksum });
  let begun = undefined as { facts: ArchiveFacts; files: PublishedFile[] } | undefined;
  const chunks = content(async (measure) => {
    // The format of `sha256sum -c`.
    const text = `${measure.sha256}  ${archive}\n`;
    const foreign = [
      ...((unnamed.archive?.sha256 ?? measure.sha256) === measure.sha256 ? [] : [archive]),
      ...((unnamed.checksum ?? text) === text ? [] : [checksum]),
    ];
    if (foreign.length > 0) {
      throw filesOfOthersError(foreign, remedy);
    }
    const facts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
    await announce(place, existing, facts, [archive, checksum], source, signal);
    begun = { facts, files: [] };
    const { revision, sizeBytes } = await putText(store, checksum, text, signal);
    begun.files.push({ path: checksum, sizeBytes, sha256: hash("sha256", text), revision });
  });
  try {
    const put = { contentType: archiveContentTypes[format], expectedBytes, signal };
    const { revision } = unnamed.archive
      ? await readThrough(chunks, unnamed.archive)
      : await store.put(archive, chunks, put);
    if (begun === undefined) {
      throw new Error("the store has not read the archive to its end");
    }
    const { facts, files } = begun;
    await store.remove(own.filter((path) => path !== archive && path !== checksum));
    const { sizeBytes, sha256 } = facts;
    await complete(place, facts, [{ path: archive, sizeBytes, sha256, revision }, ...files], signal);
    return facts;
  } catch (error) {
    if (begun === undefined) {
      throw error;
    }
    return { ...begun.facts, stopped: asDocsPlatformError(error) };
  }
}

const remedy = "move these files away, or give another destination";

interface Unnamed {
  archive: ObjectDigest | undefined;
  checksum: string | undefined;
}

/**
 * Finds the files that are not certainly this mirror's. They count as its own only if they have the new bytes.
 * @throws DestinationError if a file that is no manifest has the manifest's name.
 */
async function findUnnamed(
  { store, owner: { saved }, manifestName }: FilesPlace,
  { isUnreadable }: Existing,
  own: readonly string[],
  { archive, checksum }: { archive: string; checksum: string },
): Promise<Unnamed> {
  const isNamed = (name: string) => (saved?.files.includes(name) ?? false) || own.includes(name);
  if (isUnreadable && !isNamed(manifestName)) {
    throw filesOfOthersError([manifestName], remedy);
  }
  return {
    archive: isNamed(archive) ? undefined : await digestAt(store, archive),
    checksum: isNamed(checksum) ? undefined : await store.read(checksum, maxManifestBytes),
  };
}

async function readThrough(chunks: AsyncIterable<Buffer>, there: ObjectDigest): Promise<ObjectDigest> {
  for await (const _ of chunks) {
  }
  return there;
}
