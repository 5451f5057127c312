import { hash } from "node:crypto";
import { type ObjectDigest, readObjectDigest } from "../../storage/objectDigest";
import type { Store } from "../../storage/store";
import { putText } from "../../storage/textFile";
import { asDocsPlatformError } from "../../support/errors";
import { isoTime } from "../../support/time/duration";
import { archiveContentTypes } from "../archive/format";
import { type BundleSource, type IncomingArchive, openArchive } from "../transfer/openArchive";
import { maxListBytes, type PublishedFile } from "./fileList";
import { archiveFiles, formatFileListName } from "./fileNames";
import { filesOfOthersError, type MirrorOwner } from "./mirrorOwner";
import type { OpenedMirror, PublishResult } from "./openedMirror";
import { OwnedFiles } from "./ownedFiles";
import { ownedPlaceMethods } from "./ownedPlace";
import type { ArchiveFacts } from "./recordFacts";

/**
 * Stores the archive as one object, named after its job, with a list and a checksum beside it. The list and the
 * checksum are written first, so the archive never exists without them. An archive that the state does not name is
 * never overwritten. If such an archive equals the new archive, the mirror adopts the existing one. Otherwise the
 * mirror refuses to publish.
 */
export function openArchiveMirror(store: Store): OpenedMirror {
  const placeOf = (owner: MirrorOwner) =>
    new OwnedFiles(
      store,
      owner,
      formatFileListName(owner.jobId),
      async ({ format }) => (await store.stat(Object.values(archiveFiles(owner.jobId, format)))).size > 0,
      remedy,
    );
  return {
    ...ownedPlaceMethods(placeOf),
    async put(source, owner, signal) {
      const place = placeOf(owner);
      await place.findOwn();
      return publish(place, source, await openArchive(source), signal);
    },
    address: (jobId, { format }) => store.address(archiveFiles(jobId, format).archive),
    close: () => store.close(),
  };
}

async function publish(
  place: OwnedFiles,
  source: BundleSource,
  { format, expectedBytes, content }: IncomingArchive,
  signal: AbortSignal,
): Promise<PublishResult> {
  const { store, owner } = place;
  const { archive, checksum } = archiveFiles(owner.jobId, format);
  const existing = await place.findOwn();
  const own = OwnedFiles.pathsIn(existing);
  const unnamed = await findUnnamed(place, own, { archive, checksum });
  let begun = undefined as { facts: ArchiveFacts; files: PublishedFile[] } | undefined;
  const chunks = content(async (measure) => {
    // The text has the format that `sha256sum -c` reads.
    const text = `${measure.sha256}  ${archive}\n`;
    const foreign = [
      ...((unnamed.archive?.sha256 ?? measure.sha256) === measure.sha256 ? [] : [archive]),
      ...((unnamed.checksum ?? text) === text ? [] : [checksum]),
    ];
    if (foreign.length > 0) {
      throw filesOfOthersError(foreign, remedy);
    }
    const facts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
    await place.announce(existing, facts, [archive, checksum], source, signal);
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
    await place.complete(facts, [{ path: archive, sizeBytes, sha256, revision }, ...files], signal);
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
 * Returns the existing files that neither the state nor a sealed list names. They may stay only if their bytes equal
 * those of the new files.
 */
async function findUnnamed(
  { store, owner: { saved } }: OwnedFiles,
  own: readonly string[],
  { archive, checksum }: { archive: string; checksum: string },
): Promise<Unnamed> {
  const isNamed = (name: string) => (saved?.files.includes(name) ?? false) || own.includes(name);
  return {
    archive: isNamed(archive) ? undefined : await readObjectDigest(store, archive),
    checksum: isNamed(checksum) ? undefined : await store.read(checksum, maxListBytes),
  };
}

async function readThrough(chunks: AsyncIterable<Buffer>, there: ObjectDigest): Promise<ObjectDigest> {
  for await (const _ of chunks) {
  }
  return there;
}
