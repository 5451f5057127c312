import { ArchiveError, asDocsPlatformError, type DocsPlatformError, InterruptedError } from "../support/errors";
import { isoTime } from "../support/isoTime";
import { type ArchiveFacts, manifestOf, type Owner } from "./archiveManifest";
import type { Layout } from "./layout";
import type { Measure } from "./measure";
import { putSiteFiles } from "./siteFiles";
import { pathsOf, readSiteManifest, type SiteManifest, siteManifestName } from "./siteManifest";
import { jsonText, putText } from "./smallText";
import { receive } from "./source";
import { spooled } from "./spool";
import type { Store } from "./store";
import { verifyArchive } from "./unpack/archive";

/** Publishing began and did not end: the destination holds parts of two versions, and its manifest knows all of them. */
export class PublicationStopped extends Error {
  constructor(
    readonly facts: ArchiveFacts,
    readonly reason: DocsPlatformError,
  ) {
    super(reason.message);
  }
}

/**
 * The unpacked bundle, in the place of what the destination has of this mirror. The archive is kept in a temporary file
 * and read to its end before anything is published: `put` fails with PublicationStopped after that, and for every other
 * error the destination is as it was.
 */
export const siteLayout: Layout = {
  put(source, owner, store, signal) {
    return receive(source, ({ format, content }) => {
      let measure: Measure = { sha256: "", sizeBytes: 0 };
      const whole = content((found) => {
        measure = found;
      });
      return spooled(whole, async (file) => {
        source.status(`mirroring job ${owner.jobId}: verifying the archive`);
        const { paths } = await unlessAborted(verifyArchive(file, format), signal);
        requireOwnName(paths);
        const facts: ArchiveFacts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
        const onFiles = (count: number) =>
          source.status(`mirroring job ${owner.jobId}: ${count} of ${paths.length} files published`);
        await publish({ paths, facts, owner, store, signal }, () =>
          putSiteFiles({ file, format, store, signal, onFiles }),
        );
        return facts;
      });
    });
  },

  async look(jobId, mirrored, store) {
    const manifest = await readSiteManifest(store);
    if (manifest === undefined) {
      return { kind: "missing" };
    }
    if (manifest === "unreadable" || manifest.jobId !== jobId || manifest.sha256 !== mirrored.sha256) {
      return { kind: "differs" };
    }
    return (await isWhole(manifest, store)) ? { kind: "same", mirrored } : { kind: "differs" };
  },

  async mend({ jobId }, mirrored, store) {
    const found = await this.look(jobId, mirrored, store);
    return found.kind === "same" ? found.mirrored : undefined;
  },

  async remove({ jobId, mirror }, _, store) {
    const manifest = await readSiteManifest(store);
    if (manifest && manifest !== "unreadable" && manifest.jobId === jobId && manifest.mirror === mirror) {
      await store.remove(pathsOf(manifest));
      // Last, so that a removal that fails can be tried again.
      await store.remove([siteManifestName]);
    }
  },
};

interface NewVersion {
  paths: readonly string[];
  facts: ArchiveFacts;
  owner: Owner;
  store: Store;
  signal: AbortSignal;
}

async function publish(
  { paths, facts, owner, store, signal }: NewVersion,
  putFiles: () => Promise<SiteManifest["files"]>,
): Promise<void> {
  const before = await readSiteManifest(store);
  const known = before === "unreadable" ? undefined : before;
  const old = known === undefined ? [] : pathsOf(known);
  // Until the end it names the old job: what stands there then can still be removed as that job's.
  const base = known?.mirror === owner.mirror ? known : { ...manifestOf(owner, facts), files: known?.files ?? [] };
  await putText(store, siteManifestName, jsonText({ ...base, pending: [...new Set([...old, ...paths])] }), signal);
  try {
    await store.remove(inTheWay(old, paths));
    const files = await putFiles();
    const kept = new Set(paths);
    await store.remove(old.filter((path) => !kept.has(path)));
    const manifest: SiteManifest = { ...manifestOf(owner, facts), files };
    await putText(store, siteManifestName, jsonText(manifest), signal);
  } catch (error) {
    throw new PublicationStopped(facts, asDocsPlatformError(error));
  }
}

/** Old files where the new version has a folder, and those in a folder where it has a file. */
function inTheWay(old: readonly string[], paths: readonly string[]): string[] {
  const files = new Set(paths);
  const folders = new Set(paths.flatMap(foldersOf));
  return old.filter((path) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder)));
}

function foldersOf(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}

/** Whether every file is as it was published. One that was written since is read, where that is no transfer. */
async function isWhole(manifest: SiteManifest, store: Store): Promise<boolean> {
  if (manifest.pending) {
    return false;
  }
  const found = await store.look(pathsOf(manifest));
  for (const { path, sizeBytes, mark, sha256 } of manifest.files) {
    const there = found.get(path);
    if (there?.sizeBytes !== sizeBytes || (there.mark !== mark && (await store.sha256(path)) !== sha256)) {
      return false;
    }
  }
  return true;
}

function requireOwnName(paths: readonly string[]): void {
  if (paths.includes(siteManifestName)) {
    throw new ArchiveError({
      happened: `the archive holds a file ${siteManifestName}, which is the name of the mirror's own list of files`,
      remedy: 'use layout "archive", or tell who runs the platform.',
    });
  }
}

/** What is given up goes on to its end, and nobody waits for it: its file is gone by then. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new InterruptedError());
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    if (signal.aborted) {
      throw new InterruptedError();
    }
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
