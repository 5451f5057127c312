import { archiveWith } from "../unit/provider/mirror/archive/archives";

/** The site of the strange platforms. The archive has the pages at the root, or in one outer folder. */
export const strangeSite = { "index.html": "<h1>Docs</h1>", "guide/index.html": "<h1>Guide</h1>" } as const;

/** The archive for a platform that has no archive of its own. */
export const strangeBundle = (): Promise<Buffer> => archiveWith("tar.gz", Object.entries(strangeSite));
