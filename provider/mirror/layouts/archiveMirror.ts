import { hash } from "node:crypto";
import { type ObjectDigest, readObjectDigest } from "../../storage/objectDigest";
import type { FileOrObjectStore } from "../../storage/store";
import { putText } from "../../storage/textFile";
import { asDocsPlatformError } from "../../support/errors";
import { formatIsoTime } from "../../support/time/duration";
import { archiveContentTypes } from "../archive/format";
import { type BundleSource, openArchive } from "../transfer/openArchive";
import { maxListBytes, type PublishedFile } from "./fileList";
import { archiveFileNames, formatFileListName } from "./fileNames";
import { FilesMirror } from "./filesMirror";
import type { MirroredContent, PublishResult } from "./mirror";
import { filesOfOthersError, type MirrorOwner } from "./mirrorOwner";
import type { MirroredArchiveFields } from "./mirrorRecordFields";

const remedy = "move these files away, or give another destination";

/**
 * Stores the archive as one object, named after its job. The list and the checksum beside it are written first, so the
 * archive never exists without them. A file that neither the state nor a sealed list names is never overwritten. The
 * mirror adopts an equal file, and refuses to publish beside a different one.
 */
export class ArchiveMirror extends FilesMirror {
  constructor(store: FileOrObjectStore, owner: MirrorOwner) {
    super(store, owner, formatFileListName(owner.jobId), remedy);
  }

  async put(source: BundleSource, signal: AbortSignal): Promise<PublishResult> {
    await this.findOwn();
    const { format, expectedBytes, content } = await openArchive(source);
    const { archive, checksum } = archiveFileNames(this.owner.jobId, format);
    const existing = await this.findOwn();
    const own = this.pathsIn(existing);
    const isNamed = (name: string) => (this.owner.saved?.files.includes(name) ?? false) || own.includes(name);
    const unnamedArchive = isNamed(archive) ? undefined : await readObjectDigest(this.store, archive);
    const unnamedChecksum = isNamed(checksum) ? undefined : await this.store.read(checksum, maxListBytes);
    let begun = undefined as { facts: MirroredArchiveFields; files: PublishedFile[] } | undefined;
    const chunks = content(async (measure) => {
      // The text has the format that `sha256sum -c` reads.
      const text = `${measure.sha256}  ${archive}\n`;
      const foreign = [
        ...((unnamedArchive?.sha256 ?? measure.sha256) === measure.sha256 ? [] : [archive]),
        ...((unnamedChecksum ?? text) === text ? [] : [checksum]),
      ];
      if (foreign.length > 0) {
        throw filesOfOthersError(foreign, remedy);
      }
      const facts = { format, ...measure, mirroredAt: formatIsoTime(source.clock.now()) };
      await this.announce(existing, facts, [archive, checksum], source, signal);
      begun = { facts, files: [] };
      const { revision, sizeBytes } = await putText(this.store, checksum, text, signal);
      begun.files.push({ path: checksum, sizeBytes, sha256: hash("sha256", text), revision });
    });
    try {
      const put = { contentType: archiveContentTypes[format], expectedBytes, signal };
      const { revision } = unnamedArchive
        ? await readThrough(chunks, unnamedArchive)
        : await this.store.put(archive, chunks, put);
      if (begun === undefined) {
        throw new Error("the store has not read the archive to its end");
      }
      const { facts, files } = begun;
      await this.store.remove(own.filter((path) => path !== archive && path !== checksum));
      const { sizeBytes, sha256 } = facts;
      await this.complete(facts, [{ path: archive, sizeBytes, sha256, revision }, ...files], signal);
      return facts;
    } catch (error) {
      if (begun === undefined) {
        throw error;
      }
      return { ...begun.facts, stopped: asDocsPlatformError(error) };
    }
  }

  address({ format }: MirroredContent): string {
    return this.store.address(archiveFileNames(this.owner.jobId, format).archive);
  }

  protected async hasContent({ format }: MirroredContent): Promise<boolean> {
    return (await this.store.stat(Object.values(archiveFileNames(this.owner.jobId, format)))).size > 0;
  }
}

async function readThrough(chunks: AsyncIterable<Buffer>, there: ObjectDigest): Promise<ObjectDigest> {
  for await (const _ of chunks) {
  }
  return there;
}
