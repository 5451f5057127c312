import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";

/** The sites that the platform's jobs have made. A page stays, one goes, and one comes. */
const sites: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "theirs-1": { "index.html": "one", "guide/old.html": "old", "style.css": "red" },
  "theirs-2": { "index.html": "two", "guide/new.html": "new", "style.css": "red" },
};

const bundles = new Map<string, Promise<Buffer>>();

export function siteOf(job: string): Readonly<Record<string, string>> {
  return sites[job] ?? { "index.html": job, [`${job}.html`]: job };
}

/** The archive of a job's site: the same bytes each time. */
export function bundleBytesOf(job: string): Promise<Buffer> {
  const known = bundles.get(job) ?? packed(siteOf(job));
  bundles.set(job, known);
  return known;
}

/** The archive of a job's site, with other bytes for each number. */
export function bundleBytesPackedAnew(job: string, packing: number): Promise<Buffer> {
  return packed(siteOf(job), packing);
}

function packed(site: Readonly<Record<string, string>>, packing = 0): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(site)) {
    tar.entry({ name, mtime: new Date(packing * 1_000) }, content);
  }
  tar.finalize();
  return buffer(tar as unknown as NodeJS.ReadableStream);
}
