import type { MintedLink, PlatformClient } from "../platform/client";
import { interruptibleRest } from "../support/abort";
import { RequestError, ResponseShapeError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import { Deadline } from "../support/time/deadline";
import { settling } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import type { Context } from "./lifecycle";

/** The statuses that a platform may answer while it has no bundle yet. 202 is an error if no link came with it. */
const notYet: readonly unknown[] = [202, 404, 409, 425, 503];

/** How often a mint is repeated after an answer that cannot be understood, such as the page of a gateway. */
const mostRepeats = 2;

/** Until when "no bundle" means nothing yet, by the completed job. */
const completions = new WeakMap<PlatformClient, Map<string, Deadline>>();

export function noteCompleted(client: PlatformClient, job: string, clock: Clock): void {
  const settles = Deadline.in(settling.bundle.time, clock);
  completions.set(client, (completions.get(client) ?? new Map<string, Deadline>()).set(job, settles));
}

/** Sends one request, or a few if the job was completed a moment ago or if an answer cannot be understood. */
export async function mintLink(job: string, { connect, signal, clock, status }: Context): Promise<MintedLink> {
  const client = await connect();
  const settles = completions.get(client)?.get(job);
  for (let repeats = 0; ; ) {
    try {
      return await client.createBundle(job, { signal });
    } catch (error) {
      const rest = Math.max(settling.bundle.rest, error instanceof RequestError ? (error.retryAfter ?? 0) : 0);
      const isLate = error instanceof RequestError && notYet.includes(error.status) && settles?.allows(rest);
      if (!isLate && !(error instanceof ResponseShapeError && repeats++ < mostRepeats)) {
        throw error;
      }
      const trouble = isLate ? "the bundle is not ready yet" : "the answer cannot be understood";
      status(`${trouble}: next try in ${formatDuration(rest)}, job ${job}`);
      await interruptibleRest(clock.sleep(rest, signal));
    }
  }
}
