import { createHash } from "node:crypto";
import type { LayoutName } from "./fileNames";

/** The tag of a site. Tools use this tag if none is given. */
const siteTag = "latest";

/** The suffix that makes the record's tag from the tag of the image. */
const recordSuffix = ".mirror";

/**
 * The longest job id that is used as a tag, in characters. A tag has at most 128 characters, and the suffix of the
 * record needs some of them.
 */
const longestJobTag = 100;

/**
 * Returns the tag of a bundle. For an archive, it is the job's id; if the id is not a valid tag, it is the readable
 * part of the id and a hash.
 */
export function tagOf(layout: LayoutName, jobId: string): string {
  if (layout === "site") {
    return siteTag;
  }
  const isTag = /^\w[\w.-]*$/.test(jobId) && jobId.length <= longestJobTag;
  if (isTag && jobId !== siteTag && !jobId.endsWith(recordSuffix)) {
    return jobId;
  }
  const readable = jobId.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "");
  const hash = createHash("sha256").update(jobId).digest("hex").slice(0, 16);
  return `${readable.slice(0, 60) || "job"}-${hash}`;
}

/** Returns the tag of the record that names the owners of an image. */
export function recordTagOf(tag: string): string {
  return `${tag}${recordSuffix}`;
}
