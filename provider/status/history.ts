import { setProcessCaFile } from "../network/authorities";
import { loadMirrorLibrary } from "../resources/mirrorLibrary";
import { caFile } from "../settings/settingTable";
import { readAlone } from "../settings/sources";
import { printable } from "../support/printable";
import { timeLimits } from "../support/time/timeLimits";
import type { HeldResource, HeldState, StateOptions, StateReader } from "./heldState";

/** A job that a stack has served, and may go back to. Times are ISO 8601 in UTC. */
export interface PastJob {
  resource: string;
  jobId: string;
  /** The end of the first run that is known to have served it, or the time of its mirror. */
  since?: string;
  revision?: string;
  isCurrent?: true;
  mirror?: string;
}

export interface History {
  stack: string;
  history: PastJob[];
  goBack?: string;
  unread: string[];
}

/** Sends requests to the destinations of mirrors, and none to the platform. */
export async function historyOf(state: HeldState, reader: StateReader, options: StateOptions): Promise<History> {
  const jobs = new Map<string, PastJob>();
  const note = (job: PastJob) => {
    const key = JSON.stringify([job.resource, job.jobId]);
    jobs.set(key, { ...job, ...jobs.get(key), ...(job.since !== undefined && { since: job.since }) });
  };
  for (const job of state.resources.flatMap(exported)) {
    note({ ...job, isCurrent: true });
  }
  // From the newest to the oldest, so that the time of the first run stays.
  for (const { at, resources } of await reader.past(options, state)) {
    for (const job of resources.flatMap(exported)) {
      note({ ...job, since: at });
    }
  }
  const known = new Set([...jobs.values()].map(({ jobId }) => jobId));
  const unread: string[] = [];
  for (const { name, type, values } of state.resources) {
    if (type === "BundleMirror" && values.layout === "archive") {
      const mirror = String(values.destination);
      try {
        for (const { jobId, mirroredAt, owner } of await archivesAt(mirror)) {
          const served = [...jobs.values()].find((job) => job.jobId === jobId);
          if (owner === values.__owner) {
            note({ since: mirroredAt, ...(served ?? { resource: printable(name), jobId: printable(jobId) }), mirror });
          }
        }
      } catch (error) {
        unread.push(printable(`the mirror at ${mirror}: ${error instanceof Error ? error.message : error}`));
      }
    }
  }
  const history = [...jobs.values()].toSorted(byTime);
  const earlier = history.filter(({ isCurrent }) => !isCurrent);
  // The engine's word goes before that of a destination, where others may write.
  const target = earlier.find(({ jobId }) => known.has(jobId)) ?? earlier[0];
  const stack = printable(state.stack);
  const goBack = target && reader.goBack(shellWord(target.jobId), shellWord(stack));
  return { stack, history, ...(goBack !== undefined && { goBack }), unread };
}

function shellWord(text: string): string {
  return /^[\w.@/:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function archivesAt(destination: string) {
  setProcessCaFile(readAlone(caFile, { environment: process.env }));
  const { archivedJobs } = await loadMirrorLibrary();
  return archivedJobs(destination, { plainLoopback: true, signal: AbortSignal.timeout(timeLimits.storageRequest) });
}

/** An export whose job is completed: no other one was served. */
function exported({ name, type, values }: HeldResource): PastJob[] {
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

export function historyTable({ history, goBack, unread }: History): string {
  const rows = history.map(({ resource, jobId, since, revision, isCurrent, mirror }) => {
    const facts = [
      isCurrent && "served now",
      since && `since ${since.slice(0, 16).replace("T", " ")}Z`,
      revision && `revision ${revision.slice(0, 12)}`,
      mirror && `in ${mirror}`,
    ];
    return `${resource}  ${jobId}  ${facts.filter(Boolean).join(", ")}`;
  });
  const end =
    goBack === undefined
      ? "no earlier job is known: neither the backend's old states nor a mirror tell one. See the history of the stack's settings."
      : `To go back: \`${goBack}\``;
  return [...rows, ...unread.map((text) => `not read: ${text}`), end].map((line) => `${line}\n`).join("");
}
