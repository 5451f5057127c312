import type { MintedLink, PlatformClient } from "../platform/client";
import { interruptible } from "../support/abort";
import { RequestError, ResponseShapeError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { formatDuration, isoTime } from "../support/time/duration";
import { settling } from "../support/time/rests";
import type { Context } from "./lifecycle";

/** What a platform may answer as long as it has no bundle yet; 202 is an error where no link came with it. */
const notYet: readonly unknown[] = [202, 404, 409, 425, 503];

/** So often a mint is repeated whose answer cannot be understood, as the page of a gateway cannot. */
const mostRepeats = 2;

/** When this process saw jobs completed, by the client that saw it. */
const completions = new WeakMap<PlatformClient, Map<string, number>>();

/** The platform has just told that a job is completed. */
export function noteCompleted(client: PlatformClient, job: string, now: number): void {
  completions.set(client, (completions.get(client) ?? new Map<string, number>()).set(job, now));
}

/** A new link to the bundle of a job: one request, or a few where the job was completed a moment ago, or an answer is none. */
export function mintLink(job: string, { connect, signal, span, clock, status }: Context): Promise<MintedLink> {
  return span("mint link", { job }, async (minting) => {
    const client = await connect();
    const completedAt = completions.get(client)?.get(job) ?? Number.NEGATIVE_INFINITY;
    const settled = new Deadline(completedAt + settling.bundle.time, clock);
    for (let repeats = 0; ; ) {
      try {
        const link = await client.createBundle(job, { signal });
        minting.set({ expiresAt: isoTime(link.expiresAt) });
        return link;
      } catch (error) {
        const rest = Math.max(settling.bundle.rest, error instanceof RequestError ? (error.retryAfter ?? 0) : 0);
        const isLate = error instanceof RequestError && notYet.includes(error.status) && settled.allows(rest);
        if (!isLate && !(error instanceof ResponseShapeError && repeats++ < mostRepeats)) {
          throw error;
        }
        const trouble = isLate ? "the bundle is not ready yet" : "the answer cannot be understood";
        status(`${trouble}: next try in ${formatDuration(rest)}, job ${job}`);
        await interruptible(clock.sleep(rest, signal));
      }
    }
  });
}
