import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import { hasFailed, type ResourceStatus, type StatusReport } from "./judge";

const width = 100;
const longestName = 36;

export function statusTable({ healthy, resources, interrupted }: StatusReport, now: number): string {
  const rows = resources.map((row) => [
    row.resource,
    kinds[row.type] ?? row.type,
    conditionOf(row),
    ...factsOf(row, now),
  ]);
  const open = interrupted.map(({ what, id, since, machine }) => {
    const facts = [
      id && `job ${id}`,
      since && `since ${dateOf(since)} (${age(since, now)})`,
      machine && `on ${machine}`,
    ];
    return [what, "interrupted", facts.filter(Boolean).join(", ")];
  });
  const end = healthy ? "healthy" : `not healthy: ${problemsOf(resources, interrupted.length)}. Next: \`${words.run}\``;
  return [...columns(rows), ...columns(open), end].map((line) => `${cut(line, width)}\n`).join("");
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
    // First, since a long address of a resource leaves little room.
    expiresAt === undefined && mirroredAt === undefined && jobId && `job ${jobId}`,
    expiresAt && `ends ${dateOf(expiresAt)} (${age(expiresAt, now)})`,
    // Without the day, if it is the same.
    renewAt && `renewal from ${dateOf(renewAt).replace(`${String(expiresAt).slice(0, 10)} `, "")}`,
    mirroredAt && `since ${dateOf(mirroredAt)}`,
    shortened(digest ?? sha256),
    signedBy && `signed by ${shortened(signedBy)}`,
    url,
    startedAt && `since ${dateOf(startedAt)}`,
    tookSeconds !== undefined && `took ${formatDuration(tookSeconds * 1_000)}`,
    pageCount !== undefined && `${pageCount} pages`,
  ];
  return [facts.filter(Boolean).join(", ")];
}

/** The first characters of a digest: enough to compare two of them. */
function shortened(digest: string | undefined): string | undefined {
  return digest?.replace(/^((?:sha256:)?.{12}).*/, "$1…");
}

function problemsOf(resources: readonly ResourceStatus[], interrupted: number): string {
  const counts = {
    expired: resources.filter(({ link }) => link === "expired").length,
    failed: resources.filter(hasFailed).length,
    interrupted,
  };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** @returns `2026-11-24 04:10Z`. */
function dateOf(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 16).replace("T", " ")}Z`;
}

function age(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left > 0 ? `in ${formatDuration(left)}` : `${formatDuration(-left)} ago`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map((column) =>
    Math.min(longestName, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cut(cell, longestName).padEnd(widths[column] ?? 0)))
      .join("  "),
  );
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
