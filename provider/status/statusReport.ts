import type { ExportBundleState } from "../definitions/exportBundle";
import { entryNameHasResourcePrefix, type JournalEntryWithName, startEntryPrefix } from "../journal/journal";
import { classifyJobEnd } from "../platform/classifyJobEnd";
import { vanishedStatus } from "../resources/exportJob";
import { resources } from "../resources/index";
import { computeLinkRenewal } from "../resources/renewal";
import { decodePartialState } from "../resources/resource";
import { printable } from "../support/printable";
import { formatIsoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { ResourceSnapshot, StackSnapshot } from "./stackSnapshot";

type LinkCondition = "good" | "due" | "expired";

/** A resource without its secrets. Times are ISO 8601 in UTC. */
export interface ResourceStatus {
  resource: string;
  type: string;
  jobId?: string;
  version?: string;
  status?: string;
  startedAt?: string;
  tookSeconds?: number | undefined;
  pageCount?: number | undefined;
  expiresAt?: string;
  renewAt?: string;
  secondsLeft?: number;
  link?: LinkCondition;
  url?: string;
  sha256?: string;
  digest?: string;
  signedBy?: string;
  mirroredAt?: string;
}

/** A start or a wait that was not finished in any run. */
export interface UnfinishedStartOrWait {
  what: string;
  id?: string | undefined;
  since?: string | undefined;
  machine?: string;
}

export interface StatusReport {
  healthy: boolean;
  stack: string;
  resources: ResourceStatus[];
  interrupted: UnfinishedStartOrWait[];
  /** The jobs of interrupted runs, if a later run has started another job. These jobs may still run. */
  superseded: UnfinishedStartOrWait[];
  /** The user's next steps, the most urgent first. Empty if the stack is healthy. */
  next: string[];
}

export interface JournalEntryWithWriterAlive extends JournalEntryWithName {
  isAtWork: boolean;
}

export function makeStatusReport(
  state: StackSnapshot,
  entries: readonly JournalEntryWithWriterAlive[],
  now: number,
  place = "",
): StatusReport {
  const rows = state.resources.map((resource) => statusOf(resource, now));
  const open = openEntries(state, entries);
  const [superseded, started] = [open.filter(isSuperseded), open.filter((one) => !isSuperseded(one))];
  // If both the journal and the engine have recorded a create, only the journal's entry is shown: it has more facts.
  const cutOff = state.cutOff.filter(({ address }) => !entries.some((entry) => isOf(entry, address)));
  const waits = rows.filter(isUnfinished);
  const interrupted = [
    ...started.map(startOf),
    ...cutOff.map(({ name, since }) => ({ what: printable(`${name}: create`), since })),
    ...waits.map(({ resource, jobId, startedAt }) => ({ what: `${resource}: wait`, id: jobId, since: startedAt })),
  ];
  // In a stack's first run, the engine saves nothing until the first resource is done. Until then, only the journal
  // shows the run.
  const isAtWork = entries.some((one) => one.isAtWork && [...state.names.keys()].some((address) => isOf(one, address)));
  const isEmpty = rows.length + interrupted.length === 0 && !isAtWork;
  const isRunDue =
    isEmpty ||
    waits.length > 0 ||
    started.some(({ entry }) => entry.id !== undefined) ||
    rows.some((row) => row.link === "expired" || hasResourceFailed(row));
  const next = [
    ...cutOff.map((one) => printable(one.next)),
    ...started.filter(({ entry }) => entry.id === undefined).map((one) => printable(lostAnswerRemedy(one, place))),
    ...(isRunDue ? [`\`${words.run}\``] : []),
  ];
  const stack = printable(state.stack);
  return { healthy: next.length === 0, stack, resources: rows, interrupted, superseded: superseded.map(startOf), next };
}

interface OpenEntry {
  name: string;
  entry: JournalEntryWithWriterAlive;
  /** The resource in the state that has the entry's address. */
  resource: ResourceSnapshot | undefined;
}

function startOf({ name, entry }: OpenEntry): UnfinishedStartOrWait {
  return {
    what: printable(`${name}: start`),
    id: entry.id === undefined ? undefined : printable(entry.id),
    since: formatIsoTime(entry.intendedAt),
    machine: printable(entry.owner.host),
  };
}

/** Returns true if the resource's job in the state was started later than the job of this entry. */
function isSuperseded({ entry, resource }: OpenEntry): boolean {
  const later = Date.parse(String(resource?.values.startedAt));
  return entry.id !== undefined && later > (entry.platformTime ?? entry.intendedAt);
}

function lostAnswerRemedy({ name, entry }: OpenEntry, place: string): string {
  return `look on the platform for what ${name} has started: if there is something, adopt it; if not, remove ${entry.name}.json from the journal in ${place}, then \`${words.run}\``;
}

export function hasResourceFailed({ status }: ResourceStatus): boolean {
  return classifyJobEnd(status) === "failed" || status === vanishedStatus;
}

/** A message is never unfinished, because its agent job may continue after a run that ended normally. */
function isUnfinished(row: ResourceStatus): boolean {
  return (
    row.type === "StaticExport" && row.status !== undefined && row.status !== "completed" && !hasResourceFailed(row)
  );
}

function openEntries(
  { resources, names }: StackSnapshot,
  entries: readonly JournalEntryWithWriterAlive[],
): OpenEntry[] {
  const saved = new Set(resources.flatMap(({ values }) => [values.__entry, values.jobId]));
  return entries.flatMap((entry) => {
    const [address, name] = [...names].find(([known]) => isOf(entry, known)) ?? [];
    const isDone =
      entry.isAtWork || entry.handedOver || saved.has(entry.name) || (entry.id !== undefined && saved.has(entry.id));
    const resource = resources.find((one) => one.address !== undefined && one.address === address);
    return name === undefined || isDone ? [] : [{ entry, name, resource }];
  });
}

function isOf({ name }: JournalEntryWithName, address: string): boolean {
  return entryNameHasResourcePrefix(name, startEntryPrefix(address, undefined));
}

const texts = ["jobId", "version", "status", "startedAt", "sha256", "digest", "signedBy", "mirroredAt"];

function statusOf({ name, type, values }: ResourceSnapshot, now: number): ResourceStatus {
  const state: Record<string, unknown> = decodePartialState(resources[type], values);
  const shown = texts.flatMap((name) => {
    const value = state[name];
    return typeof value === "string" ? [[name, printable(value)]] : [];
  });
  const began = Date.parse(String(state.startedAt));
  const ended = Date.parse(String(state.completedAt));
  return {
    resource: printable(name),
    type,
    ...Object.fromEntries(shown),
    tookSeconds: Number.isFinite(ended - began) ? Math.round((ended - began) / 1_000) : undefined,
    pageCount: typeof state.pageCount === "number" ? state.pageCount : undefined,
    ...(type === "ExportBundle" && linkStatus(state as unknown as ExportBundleState, now)),
    ...(typeof state.url === "string" && { url: withoutSignature(state.url) }),
  };
}

/** Empty if the link's times cannot be read, for example because they are secrets in the state. */
function linkStatus(state: ExportBundleState, machineTime: number) {
  const { endsAt, renewAt, now, isDue } = computeLinkRenewal(state, state, machineTime);
  if (!Number.isFinite(renewAt)) {
    return {};
  }
  const link: LinkCondition = now >= endsAt ? "expired" : isDue ? "due" : "good";
  const secondsLeft = Math.max(0, Math.floor((endsAt - now) / 1_000));
  return { expiresAt: formatIsoTime(endsAt), renewAt: formatIsoTime(renewAt), secondsLeft, link };
}

/** Removes credentials, query and fragment, because they may contain a signature. */
function withoutSignature(url: string): string {
  return printable(url.replace(/[?#].*$/s, "").replace(/(:\/\/)[^/]*@/, "$1"));
}
