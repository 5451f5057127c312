import type { MintedLink } from "../platform/client";
import { interruptiblePause } from "../support/abort";
import { ConflictError, RequestError, ResponseShapeError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { staleAnswerTimes } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import type { Context } from "./lifecycle";
import { lacksOperation, requireNoLinkInRecord } from "./linkInRecord";

/** The statuses that a platform may send while it has no bundle yet, in addition to 202 and 409. */
const notYet: readonly unknown[] = [404, 425, 503];

/** The largest number of repeated mints after answers that cannot be parsed, such as a gateway's error page. */
const mostRepeats = 2;

/**
 * Requests a new link. Repeats the request if the platform is packing the bundle (202 without a link), if the job was
 * completed a moment ago, or if an answer cannot be parsed.
 */
export async function mintLink(job: string, context: Context): Promise<MintedLink> {
  const { connect, signal, clock, status } = context;
  const client = await connect();
  const settles = context.bundlesDue.get(job);
  const packs = Deadline.in(staleAnswerTimes.packing.time, clock);
  let hasAskedForRecord = false;
  for (let repeats = 0; ; ) {
    try {
      return await client.createBundle(job, { signal });
    } catch (error) {
      const pause = Math.max(
        staleAnswerTimes.bundle.pause,
        error instanceof RequestError ? (error.retryAfter ?? 0) : 0,
      );
      if (lacksOperation(error) && !hasAskedForRecord) {
        hasAskedForRecord = true;
        await requireNoLinkInRecord(job, error, client, context);
      }
      const wait = waitOf(error, { settles, packs });
      const isLate = wait?.allows(pause);
      if (!isLate && !(wait === undefined && error instanceof ResponseShapeError && repeats++ < mostRepeats)) {
        throw error;
      }
      const trouble = isLate ? "the bundle is not ready yet" : "the answer cannot be understood";
      status(`${trouble}: next try in ${formatDuration(pause)}, job ${job}`);
      await interruptiblePause(clock.sleep(pause, signal));
    }
  }
}

/**
 * If the error means that the bundle is not ready yet, returns the deadline until which to ask again. For every other
 * error, returns undefined.
 */
function waitOf(
  error: unknown,
  { settles, packs }: { settles: Deadline | undefined; packs: Deadline },
): Deadline | undefined {
  if (!(error instanceof RequestError)) {
    return undefined;
  }
  const isUnready = error instanceof ConflictError || notYet.includes(error.status);
  return error.status === 202 ? packs : isUnready ? settles : undefined;
}
