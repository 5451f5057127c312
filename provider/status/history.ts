import { setProcessCaFile } from "../network/authorities";
import { loadMirrorLibrary } from "../resources/mirrorLibrary";
import { GivenSettings } from "../settings/settings";
import { printable } from "../support/printable";
import { shellWord } from "../support/shellWord";
import { timeLimits } from "../support/time/timeLimits";
import { lines, wrapped } from "./lines";
import type { FailedRun, GoBack, ResourceSnapshot, StackSnapshot, StateOptions, StateReader } from "./stackSnapshot";
import { dateOf } from "./table";

/** A job that a stack has served, and to which it may be rolled back. Times are ISO 8601 in UTC. */
interface PastJob {
  resource: string;
  jobId: string;
  /** When the first known run that served the job ended, or when the job was mirrored. */
  since?: string;
  revision?: string;
  isCurrent?: true;
  mirror?: string;
  /** True if no state of this stack names the job, but only a record at a mirror's destination. */
  isClaim?: true;
}

interface FailedRow extends FailedRun {
  at: string;
}

interface History {
  stack: string;
  history: PastJob[];
  failedRuns: FailedRow[];
  goBack?: GoBack;
  unread: string[];
}

/**
 * Collects the jobs whose bundles a stack has handed out, from its states and from the destinations of its mirrors. It
 * sends requests to these destinations, but not to the platform.
 */
export async function historyOf(state: StackSnapshot, reader: StateReader, options: StateOptions): Promise<History> {
  const jobs = new Map<string, PastJob>();
  const note = (job: PastJob) => {
    const key = JSON.stringify([job.resource, job.jobId]);
    jobs.set(key, { ...job, ...jobs.get(key), ...(job.since !== undefined && { since: job.since }) });
  };
  for (const job of state.resources.flatMap(exported)) {
    note({ ...job, isCurrent: true });
  }
  // The runs are ordered from the newest to the oldest. Each run overwrites the time of its jobs, so the time of a
  // job's first run remains.
  const past = await reader.past(options, state);
  for (const { at, resources } of past) {
    for (const job of resources.flatMap(exported)) {
      note({ ...job, since: at });
    }
  }
  const mirrors = [state, ...past].flatMap(({ resources }) => resources.filter(({ type }) => type === "BundleMirror"));
  const known = new Set(mirrors.map(({ values }) => values.jobId));
  const unread: string[] = [];
  for (const { name, type, values } of state.resources) {
    if (type === "BundleMirror" && values.layout === "archive") {
      const mirror = printable(String(values.destination));
      try {
        const archives = await archivesAt(String(values.destination));
        for (const { jobId, mirroredAt } of archives.filter(({ owner }) => owner === values.__owner)) {
          const served = [...jobs.values()].find((job) => job.jobId === jobId);
          const other = {
            resource: printable(name),
            jobId: printable(jobId),
            ...(!known.has(jobId) && { isClaim: true as const }),
          };
          note({ since: mirroredAt, ...(served ?? other), mirror });
        }
      } catch (error) {
        unread.push(printable(`the mirror at ${mirror}: ${error instanceof Error ? error.message : error}`));
      }
    }
  }
  const history = [...jobs.values()].toSorted(byTime);
  // Claims are left out. Otherwise, anyone who may write to a destination could choose the job for a rollback.
  const earlier = history.filter(({ isCurrent, isClaim }) => !isCurrent && !isClaim);
  const [jobId] = earlier.flatMap((job) => shellWord(job.jobId) ?? []);
  const stack = options.stack === undefined ? undefined : shellWord(options.stack);
  return {
    stack: printable(state.stack),
    history,
    failedRuns: past.flatMap(({ at, failed }) => (failed === undefined ? [] : [{ at, ...printableRun(failed) }])),
    ...(jobId !== undefined && { goBack: reader.goBack(jobId, stack) }),
    unread,
  };
}

function printableRun({ kind, message, errors }: FailedRun): FailedRun {
  return { kind: printable(kind), message: printable(message), errors: errors.map((text) => printable(text)) };
}

async function archivesAt(destination: string) {
  setProcessCaFile(new GivenSettings({ environment: process.env }).values.caFile);
  const { archivedJobs } = await loadMirrorLibrary();
  return archivedJobs(destination, {
    plainLoopback: true,
    signal: AbortSignal.timeout(timeLimits.storageRequest),
  });
}

/**
 * Returns the job of an export; empty if the resource is not an export, or if its job is not completed. The stack has
 * never served such a job.
 */
function exported({ name, type, values }: ResourceSnapshot): PastJob[] {
  const { jobId, status, triggers } = values;
  if (type !== "StaticExport" || status !== "completed" || typeof jobId !== "string") {
    return [];
  }
  const revision: unknown = typeof triggers === "string" ? triggers : Object(triggers).revision;
  return [
    {
      resource: printable(name),
      jobId: printable(jobId),
      ...(typeof revision === "string" && { revision: printable(revision) }),
    },
  ];
}

function byTime(a: PastJob, b: PastJob): number {
  const order = Number(b.isCurrent ?? false) - Number(a.isCurrent ?? false);
  return order || String(b.since ?? "").localeCompare(String(a.since ?? ""));
}

export function historyTable({ history, failedRuns, goBack, unread }: History): string {
  const jobs = history.map(({ resource, jobId, since, revision, isCurrent, mirror, isClaim }) => ({
    cells: [resource],
    facts: [
      `job ${jobId}`,
      isCurrent && "served now",
      since && `since ${dateOf(since)}`,
      revision && `revision ${revision.slice(0, 12)}`,
      mirror && `in ${mirror}`,
      isClaim && "as that place says",
    ].filter((fact) => typeof fact === "string"),
  }));
  const failed = failedRuns.map(({ kind, at, message, errors }) => ({
    cells: [kind, "failed"],
    facts: [dateOf(at), message, ...errors].filter(Boolean),
  }));
  const end =
    goBack === undefined
      ? wrapped("no earlier job is known: the backend's old states name none. See the history of the stack's settings.")
      : ["To go back:", ...goBack.commands.map((command) => `  ${command}`), ...wrapped(`This needs ${goBack.needs}.`)];
  const unreadLines = unread.flatMap((text) => wrapped(`not read: ${text}`));
  return [...lines(jobs), ...lines(failed), ...unreadLines, ...end].map((line) => `${line}\n`).join("");
}
