import { isoTime } from "../support/isoTime";
import { type ArchiveFacts, checksumText, manifestOf, type Owner, readArchiveManifest } from "./archiveManifest";
import type { Layout, Look, Mirrored } from "./layout";
import { archiveFiles } from "./names";
import { jsonText, putText } from "./smallText";
import { receive } from "./source";
import type { Store } from "./store";
import type { ArchiveFormat } from "./unpack/format";

const contentTypes: Readonly<Record<ArchiveFormat, string>> = {
  "tar.gz": "application/gzip",
  tar: "application/x-tar",
  zip: "application/zip",
};

/**
 * The archive as one object, named after its job, with a manifest and a checksum beside it. They are put before the
 * archive, which is therefore never there without them; where that fails, everything is as it was before.
 */
export const archiveLayout: Layout = {
  put(source, owner, store, signal) {
    return receive(source, async ({ format, expectedBytes, content }) => {
      const { archive } = archiveFiles(owner.jobId, format);
      let described = undefined as Mirrored | undefined;
      let before: Description | undefined;
      const whole = content(async (measure) => {
        const facts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
        before = await readDescription(owner, format, store);
        described = { ...facts, manifestBytes: await describe(owner, facts, store, signal) };
      });
      try {
        const { mark } = await store.put(archive, whole, { contentType: contentTypes[format], expectedBytes, signal });
        if (described === undefined) {
          throw new Error("the store has not read the archive to its end");
        }
        await removeOtherFormat(owner, format, before, store);
        return { ...described, mark };
      } catch (error) {
        await restore(before, store);
        throw error;
      }
    });
  },

  async look(jobId, mirrored, store) {
    const found = await lookAtFiles(jobId, mirrored, store);
    return found.kind === "undescribed" ? { kind: "differs" } : found;
  },

  async mend(owner, mirrored, store, signal) {
    const found = await lookAtFiles(owner.jobId, mirrored, store);
    if (found.kind === "undescribed") {
      return { ...found.mirrored, manifestBytes: await describe(owner, mirrored, store, signal) };
    }
    return found.kind === "same" ? found.mirrored : undefined;
  },

  async remove(owner, { format }, store) {
    const { archive, checksum, manifest } = archiveFiles(owner.jobId, format);
    const there = readArchiveManifest(await store.read(manifest));
    if (there?.jobId === owner.jobId && there.mirror === owner.mirror) {
      await store.remove([archive, checksum]);
      // Last, so that a removal that fails can be tried again.
      await store.remove([manifest]);
    }
  },
};

/**
 * Writes what stands beside an archive.
 * @returns the manifest's size in bytes.
 */
async function describe(owner: Owner, facts: ArchiveFacts, store: Store, signal: AbortSignal): Promise<number> {
  const { archive, checksum, manifest } = archiveFiles(owner.jobId, facts.format);
  await putText(store, checksum, checksumText(owner.jobId, facts), signal);
  const text = jsonText({ file: archive, ...manifestOf(owner, facts) });
  const { sizeBytes } = await putText(store, manifest, text, signal);
  return sizeBytes;
}

/** What stood beside an archive before, by name; undefined for what was not there. */
type Description = readonly (readonly [name: string, text: string | undefined])[];

async function readDescription({ jobId }: Owner, format: ArchiveFormat, store: Store): Promise<Description> {
  const { checksum, manifest } = archiveFiles(jobId, format);
  return [
    [manifest, await store.read(manifest)],
    [checksum, await store.read(checksum)],
  ];
}

/** It never fails: what led to it is the better cause. */
async function restore(before: Description = [], store: Store): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, text] of before) {
    await (text === undefined ? store.remove([name]) : putText(store, name, text, signal)).catch(() => {});
  }
}

/** An earlier archive of the same job, which has another name: its manifest has just become that of the new one. */
async function removeOtherFormat(
  { jobId }: Owner,
  format: ArchiveFormat,
  before: Description = [],
  store: Store,
): Promise<void> {
  const earlier = readArchiveManifest(before[0]?.[1]);
  if (earlier?.jobId === jobId && earlier.format !== format) {
    const { archive, checksum } = archiveFiles(jobId, earlier.format);
    await store.remove([archive, checksum]);
  }
}

/** What a look finds; "undescribed" is an archive that is whole, while what stands beside it is not. */
type FilesLook = Look | { kind: "undescribed"; mirrored: Mirrored };

async function lookAtFiles(jobId: string, mirrored: Mirrored, store: Store): Promise<FilesLook> {
  const { archive, checksum, manifest } = archiveFiles(jobId, mirrored.format);
  const found = await store.look([archive, checksum, manifest]);
  const there = found.get(archive);
  if (there === undefined) {
    return { kind: "missing" };
  }
  const { sizeBytes, mark } = there;
  const written = mark !== mirrored.mark;
  if (sizeBytes !== mirrored.sizeBytes || (written && (await store.sha256(archive)) !== mirrored.sha256)) {
    return { kind: "differs" };
  }
  const described =
    found.get(checksum)?.sizeBytes === Buffer.byteLength(checksumText(jobId, mirrored)) &&
    found.get(manifest)?.sizeBytes === mirrored.manifestBytes;
  return { kind: described ? "same" : "undescribed", mirrored: { ...mirrored, mark } };
}
