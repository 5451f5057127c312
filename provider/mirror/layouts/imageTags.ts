import { createHash } from "node:crypto";
import type { LayoutName } from "./fileNames";

/** The tag that leads to a site: the one that tools take where none is given. */
const siteTag = "latest";

/** What follows a tag in the tag of the record beside it. */
const recordSuffix = ".mirror";

/** A tag has at most 128 characters, of which the record's suffix takes some. */
const longestJobTag = 100;

/** The tag of a job's archive: the job's id, unless it is none that a tag may have; then its readable part and a hash. */
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

/** The tag of the record that tells whose an image is. */
export function recordTagOf(tag: string): string {
  return `${tag}${recordSuffix}`;
}
