import { archiveWith } from "../unit/provider/mirror/archive/archives";

/** The site of the strange platforms: its pages are at the root of the archive, or in one folder around them. */
export const strangeSite = { "index.html": "<h1>Docs</h1>", "guide/index.html": "<h1>Guide</h1>" } as const;

/** Packs that site, if a platform has no archive of its own. */
export const strangeBundle = (): Promise<Buffer> => archiveWith("tar.gz", Object.entries(strangeSite));
