import { printable } from "../support/printable";
import { formatDuration } from "../support/time/duration";
import { formatRows, wrapText } from "./formatRows";
import { hasResourceFailed, type ResourceStatus, type StatusReport, type UnfinishedStartOrWait } from "./statusReport";

const noResource = "no resource of this provider is in this state (check the folder and the stack)";

export function formatStatusTable({ healthy, resources, interrupted, superseded, next }: StatusReport, now: number) {
  const rows = resources.map((row) => ({
    cells: [row.resource, kinds[row.type] ?? row.type, conditionOf(row)],
    facts: factsOf(row, now),
  }));
  const problems = problemsOf(resources, interrupted.length);
  const end = healthy ? "healthy" : `not healthy: ${problems || noResource}. Next: ${next.join("; and: ")}`;
  return [
    ...formatRows(rows),
    ...formatRows([
      ...interrupted.map((work) => rowOf(work, "interrupted", now)),
      ...superseded.map((work) => rowOf(work, "superseded", now)),
    ]),
    ...wrapText(end),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function rowOf({ what, id, since, machine }: UnfinishedStartOrWait, condition: string, now: number) {
  const facts = [
    id && `job ${id}`,
    since && `since ${formatStatusTime(since)}${age(since, now)}`,
    machine && `on ${machine}`,
  ].filter((fact) => typeof fact === "string");
  return { cells: [what, condition], facts };
}

const kinds: Readonly<Record<string, string>> = {
  StaticExport: "export",
  ExportBundle: "link",
  BundleMirror: "mirror",
  AgentMessage: "message",
};

function conditionOf({ link, status, type }: ResourceStatus): string {
  return link ?? status ?? (type === "BundleMirror" ? "stored" : "-");
}

function factsOf(row: ResourceStatus, now: number): string[] {
  const { jobId, startedAt, tookSeconds, pageCount, expiresAt, renewAt, mirroredAt, sha256, digest, signedBy, url } =
    row;
  const facts = [
    // The job comes first, so that it stays in the row's first line. Facts that do not fit move to further lines.
    expiresAt === undefined && mirroredAt === undefined && jobId && `job ${jobId}`,
    expiresAt && `ends ${formatStatusTime(expiresAt)}${age(expiresAt, now)}`,
    // The day of the renewal is left out if the link expires on the same day.
    renewAt && `renewal from ${formatStatusTime(renewAt).replace(`${String(expiresAt).slice(0, 10)} `, "")}`,
    mirroredAt && `since ${formatStatusTime(mirroredAt)}`,
    shortened(digest ?? sha256),
    signedBy && `signed by ${shortened(signedBy)}`,
    url,
    startedAt && `since ${formatStatusTime(startedAt)}`,
    tookSeconds !== undefined && `took ${formatDuration(tookSeconds * 1_000)}`,
    pageCount !== undefined && `${pageCount} pages`,
  ];
  return facts.filter((fact): fact is string => Boolean(fact));
}

/** Twelve characters are enough to compare two digests. */
function shortened(digest: string | undefined): string | undefined {
  return digest?.replace(/^((?:sha256:)?.{12}).*/, "$1…");
}

function problemsOf(resources: readonly ResourceStatus[], interrupted: number): string {
  const counts = {
    expired: resources.filter(({ link }) => link === "expired").length,
    failed: resources.filter(hasResourceFailed).length,
    interrupted,
  };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Returns a time as `2026-11-24 04:10Z`, and any other text without control characters. */
export function formatStatusTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? printable(time) : `${date.toISOString().slice(0, 16).replace("T", " ")}Z`;
}

function age(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return Number.isNaN(left) ? "" : ` (${left > 0 ? `in ${formatDuration(left)}` : `${formatDuration(-left)} ago`})`;
}
