import { createHash } from "node:crypto";
import { z } from "zod";
import type { Store } from "../storage/store";
import { parseJson, putText } from "../storage/textFile";
import { clearingSignal, stopError } from "../support/abort";
import { DestinationError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import { backoff, rests } from "../support/time/rests";
import { timeLimits } from "../support/time/timeLimits";
import { words } from "../support/words";
import { type LayoutName, manifestName, ownPrefix } from "./layouts/fileNames";

/** The process that works at a place, and what it can find out about other processes. */
export interface LeaseHolder {
  clock: Clock;
  /** Returns a random id that no other call in any process returns: at least 12 hexadecimal digits. */
  newId(): string;
  /** Names this process to other processes. */
  name: string;
  /** Returns true if the process of this name has surely ended. */
  hasEnded(name: string): boolean;
}

/** The number of renewals in a row that may fail. Half of the time limit then remains for requests under way. */
const mostFailures = 2;
const maxLeaseBytes = 4_096;

const leaseName = /^\.bundle-mirror\.([0-9a-f]{12})\.[0-9a-f]{12}\.lease$/;
const leaseSchema = z.strictObject({ process: z.string(), renewals: z.number() });

/** Returns true if a file is the lease of a run, which belongs to no site and to no archive. */
export function isLease(name: string): boolean {
  return leaseName.test(name);
}

/** The scope in which a mirror writes at its place: a site may take any name there, an archive only those of its job. */
export function scopeOf(layout: LayoutName, jobId: string): string {
  return layout === "site" ? siteScope : digestOf(manifestName(jobId));
}

const siteScope = digestOf("");

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * The leases of all runs at one place, also of other processes and machines, so that only one run at a time reads there what
 * others have written, and then writes. No lock and no condition of the store is needed: each lease is a file of its own
 * that only its run writes. A run works only if it finds no other lease after its own one was there. Of two runs that
 * see each other, the one with the greater name withdraws its lease. The lease of a killed run is removed with evidence
 * only: this machine shows that its process has ended, or it was not renewed for a minute of looking.
 */
export class Leases {
  readonly #store: Store;
  readonly #holder: LeaseHolder;

  constructor(store: Store, holder: LeaseHolder) {
    this.#store = store;
    this.#holder = holder;
  }

  /**
   * Runs the work while no other run works at this scope.
   * @param work gets a signal that also aborts if another run has taken the place over.
   * @param onWait called if another run is at work.
   * @throws the error of `stopError` if the signal aborts before.
   */
  async alone<T>(
    scope: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    onWait = () => {},
  ): Promise<T> {
    const name = `${ownPrefix}${scope}.${this.#holder.newId().slice(-12)}.lease`;
    const lease = new Lease(name, this.#store, this.#holder, signal);
    try {
      await this.#enter(lease, scope, onWait);
      return await work(lease.signal);
    } finally {
      // A lease that could not be removed is not renewed any more.
      await lease.withdraw(clearingSignal()).catch(() => {});
      lease.end();
    }
  }

  async #enter(lease: Lease, scope: string, onWait: () => void): Promise<void> {
    const watch = new Watch(this.#store, this.#holder);
    const { signal } = lease;
    await lease.place();
    for (let looks = 0; ; looks++) {
      const { others, isListed } = await watch.look(scope, lease.name);
      if (others.length === 0 && isListed) {
        return;
      }
      if (others.length === 0 && !lease.isPlaced) {
        await lease.place();
        continue;
      }
      if (others.length > 0 && looks === 0) {
        onWait();
      }
      if (others.some((other) => other < lease.name)) {
        await lease.withdraw(signal);
      }
      await watch.rest(backoff(rests.lease, looks), signal);
    }
  }
}

/** The own lease of a run. */
class Lease {
  readonly #stop = new AbortController();
  /** Aborts with the caller's signal, or if this run may not work any more, since another one may have begun. */
  readonly signal = this.#stop.signal;
  /** Releases the caller's signal. */
  readonly end: () => void;
  #renewing: { stop: AbortController; ended: Promise<void> } | undefined;
  #renewals = 0;

  readonly #store: Store;
  readonly #holder: LeaseHolder;

  constructor(
    readonly name: string,
    store: Store,
    holder: LeaseHolder,
    caller: AbortSignal,
  ) {
    this.#store = store;
    this.#holder = holder;
    const onAbort = () => this.#stop.abort(caller.reason);
    caller.addEventListener("abort", onAbort, { once: true });
    if (caller.aborted) {
      onAbort();
    }
    this.end = () => caller.removeEventListener("abort", onAbort);
  }

  get isPlaced(): boolean {
    return this.#renewing !== undefined;
  }

  async place(): Promise<void> {
    const stop = new AbortController();
    // A write that failed may have stored the lease nevertheless: it is withdrawn, too.
    this.#renewing = { stop, ended: Promise.resolve() };
    await this.#write(this.signal);
    this.#renewing = { stop, ended: this.#renew(stop.signal) };
  }

  async withdraw(signal: AbortSignal): Promise<void> {
    const renewing = this.#renewing;
    this.#renewing = undefined;
    renewing?.stop.abort();
    await renewing?.ended;
    if (renewing !== undefined) {
      await this.#store.remove([this.name], signal);
    }
  }

  async #renew(stop: AbortSignal): Promise<void> {
    for (let failures = 0; failures <= mostFailures; ) {
      await this.#holder.clock.sleep(rests.leaseRenewal, stop).catch(() => {});
      if (stop.aborted) {
        return;
      }
      try {
        if ((await this.#store.read(this.name, maxLeaseBytes)) === undefined) {
          break;
        }
        await this.#write(stop);
        failures = 0;
      } catch {
        failures++;
      }
    }
    if (!stop.aborted) {
      this.#stop.abort(
        new DestinationError({
          happened:
            "this run did not show for some time that it was at work at the destination, so another run may have begun there",
          remedy: `run \`${words.run}\` again.`,
        }),
      );
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const text = JSON.stringify({ process: this.#holder.name, renewals: this.#renewals++ });
    await putText(this.#store, this.name, text, signal, { untilExit: true });
  }
}

/** Looks at the leases of other runs again and again, and removes those of runs that have ended. */
class Watch {
  /** The text of each lease, and the time at which this run has seen it first. */
  readonly #seen = new Map<string, { text: string; since: number }>();
  /** The time of all rests, in milliseconds. A clock may be set meanwhile. */
  #rested = 0;

  readonly #store: Store;
  readonly #holder: LeaseHolder;

  constructor(store: Store, holder: LeaseHolder) {
    this.#store = store;
    this.#holder = holder;
  }

  /**
   * Returns the names of the leases that a lease at this scope must wait for, and whether the list has the lease itself: a
   * list without it may also lack others.
   */
  async look(scope: string, own: string): Promise<{ others: string[]; isListed: boolean }> {
    const others: string[] = [];
    let isListed = false;
    for await (const name of this.#store.list(ownPrefix)) {
      const [, its] = leaseName.exec(name) ?? [];
      isListed ||= name === own;
      if (its !== undefined && name !== own && (its === scope || its === siteScope || scope === siteScope)) {
        others.push(name);
      }
    }
    const atWork = await Promise.all(others.map((name) => this.#isAtWork(name)));
    return { others: others.filter((_, index) => atWork[index]), isListed };
  }

  async rest(time: number, signal: AbortSignal): Promise<void> {
    await this.#holder.clock.sleep(time, signal).catch(() => {
      throw stopError(signal);
    });
    this.#rested += time;
  }

  async #isAtWork(name: string): Promise<boolean> {
    const text = await this.#store.read(name, maxLeaseBytes);
    const { data: lease } = leaseSchema.safeParse(parseJson(text ?? ""));
    // Another file of this name is no lease, and stays.
    if (text === undefined || lease === undefined) {
      return false;
    }
    const before = this.#seen.get(name);
    const { since } = before?.text === text ? before : { since: this.#rested };
    this.#seen.set(name, { text, since });
    if (!this.#holder.hasEnded(lease.process) && this.#rested - since < timeLimits.lease) {
      return true;
    }
    await this.#store.remove([name]);
    return false;
  }
}
