import { hashJobId, type LayoutName } from "./fileNames";

/** The tag of a site. Tools use `latest` if no tag is given. */
const siteTag = "latest";

const recordSuffix = ".mirror";

/**
 * Matches the tags under which tools find the signatures of an image: the tag of its list of referrers, and the tags
 * that end with `.sig`.
 */
const signatureTag = /^sha256-[0-9a-f]{64}/;

/**
 * The longest job id that is used as a tag, in characters. A tag has at most 128 characters, and the suffix of the
 * record needs some of them.
 */
const longestJobTag = 100;

export function tagOf(layout: LayoutName, jobId: string): string {
  if (layout === "site") {
    return siteTag;
  }
  const isTag = /^\w[\w.-]*$/.test(jobId) && jobId.length <= longestJobTag;
  if (isTag && jobId !== siteTag && !jobId.endsWith(recordSuffix) && !signatureTag.test(jobId)) {
    return jobId;
  }
  const readable = jobId.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "");
  return `${readable.slice(0, 60) || "job"}-${hashJobId(jobId)}`;
}

export function recordTagOf(tag: string): string {
  return `${tag}${recordSuffix}`;
}
