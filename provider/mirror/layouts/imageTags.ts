import { hashJobId, type LayoutName } from "./fileNames";

/** Tools use `latest` if no tag is given. */
const siteTag = "latest";

const recordSuffix = ".mirror";

/** Tools look for an image's signatures under such tags, so a job never gets one of them. */
const signatureTag = /^sha256-[0-9a-f]{64}/;

/** In characters. A tag has at most 128 characters, and the record's suffix needs some of them. */
const longestJobTag = 100;

export function imageTagOf(layout: LayoutName, jobId: string): string {
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

export function mirrorRecordTagOf(tag: string): string {
  return `${tag}${recordSuffix}`;
}
