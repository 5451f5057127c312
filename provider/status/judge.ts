import type { ExportBundleState } from "../definitions/exportBundle";
import type { Found } from "../journal/entries";
import { isSameAddress, startName } from "../journal/journal";
import { jobEnd } from "../platform/jobEnd";
import { linkTimes } from "../resources/exportBundle";
import { vanished } from "../resources/exportJob";
import { resources } from "../resources/index";
import { decodePartly } from "../resources/resource";
import { printable } from "../support/printable";
import { isoTime } from "../support/time/duration";
import type { HeldResource, HeldState } from "./heldState";

export type LinkCondition = "good" | "due" | "expired";

/** A resource without its secrets. Times are ISO 8601 in UTC. */
export interface ResourceStatus {
  resource: string;
  type: string;
  jobId?: string;
  version?: string;
  status?: string;
  startedAt?: string;
  tookSeconds?: number;
  pageCount?: number;
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

/** A start or a wait that no run has seen end. */
export interface UnfinishedWork {
  what: string;
  id?: string;
  since?: string;
  machine?: string;
}

export interface StatusReport {
  healthy: boolean;
  stack: string;
  resources: ResourceStatus[];
  interrupted: UnfinishedWork[];
}

export interface SeenEntry extends Found {
  isAtWork: boolean;
}

export function judge(state: HeldState, entries: readonly SeenEntry[], now: number): StatusReport {
  const rows = state.resources.map((held) => statusOf(held, now));
  const open = openEntries(state, entries);
  const interrupted = [
    ...open.map(({ entry, name }) => ({
      what: printable(`${name}: start`),
      ...(entry.id !== undefined && { id: printable(entry.id) }),
      since: isoTime(entry.intendedAt),
      machine: printable(entry.owner.host),
    })),
    // An entry tells more of a create that was cut off than the engine does.
    ...state.cutOff
      .filter(({ address }) => !entries.some((entry) => isOf(entry, address)))
      .map(({ name, since }) => ({ what: printable(`${name}: create`), ...(since !== undefined && { since }) })),
    ...rows.filter(isUnfinished).map(({ resource, jobId, startedAt }) => ({
      what: `${resource}: wait`,
      ...(jobId !== undefined && { id: jobId }),
      ...(startedAt !== undefined && { since: startedAt }),
    })),
  ];
  const healthy = interrupted.length === 0 && !rows.some((row) => row.link === "expired" || hasFailed(row));
  return { healthy, stack: printable(state.stack), resources: rows, interrupted };
}

export function hasFailed({ status }: ResourceStatus): boolean {
  return jobEnd(status) === "failed" || status === vanished;
}

/** The wait of an export has ended before its job. A message may have been sent without a wait. */
function isUnfinished(row: ResourceStatus): boolean {
  return row.type === "StaticExport" && row.status !== undefined && row.status !== "completed" && !hasFailed(row);
}

function openEntries({ resources: held, names }: HeldState, entries: readonly SeenEntry[]) {
  const saved = new Set(held.flatMap(({ values }) => [values.__entry, values.jobId]));
  return entries.flatMap((entry) => {
    const [, name] = [...names].find(([address]) => isOf(entry, address)) ?? [];
    const isSettled =
      entry.isAtWork || entry.handedOver || saved.has(entry.name) || (entry.id !== undefined && saved.has(entry.id));
    return name === undefined || isSettled ? [] : [{ entry, name }];
  });
}

function isOf({ name }: Found, address: string): boolean {
  return isSameAddress(name, startName(address, undefined));
}

function statusOf({ name, type, values }: HeldResource, now: number): ResourceStatus {
  const state: Record<string, unknown> = decodePartly(resources[type], values);
  const text = (property: string) => {
    const value = state[property];
    return typeof value === "string" ? { [property]: printable(value) } : {};
  };
  const number = (property: string) => (typeof state[property] === "number" ? { [property]: state[property] } : {});
  const began = Date.parse(String(state.startedAt));
  const ended = Date.parse(String(state.completedAt));
  return {
    resource: printable(name),
    type,
    ...text("jobId"),
    ...text("version"),
    ...text("status"),
    ...text("startedAt"),
    ...(Number.isFinite(ended - began) && { tookSeconds: Math.round((ended - began) / 1_000) }),
    ...number("pageCount"),
    ...(type === "ExportBundle" && linkStatus(state as unknown as ExportBundleState, now)),
    ...(typeof state.url === "string" && { url: withoutSignature(state.url) }),
    ...text("sha256"),
    ...text("digest"),
    ...text("signedBy"),
    ...text("mirroredAt"),
  };
}

/** @returns nothing of a link whose times the state keeps as a secret. */
function linkStatus(state: ExportBundleState, machineTime: number) {
  const { endsAt, renewAt, now, isDue } = linkTimes(state, machineTime);
  if (!Number.isFinite(renewAt)) {
    return {};
  }
  const link: LinkCondition = now >= endsAt ? "expired" : isDue ? "due" : "good";
  const secondsLeft = Math.max(0, Math.floor((endsAt - now) / 1_000));
  return { expiresAt: isoTime(endsAt), renewAt: isoTime(renewAt), secondsLeft, link };
}

/** An address without credentials, query and fragment, in which a signature could stand. */
function withoutSignature(url: string): string {
  return printable(url.replace(/[?#].*$/s, "").replace(/(:\/\/)[^/]*@/, "$1"));
}
