import type { MintedLink, PlatformClient } from "../platform/client";
import { platformRoutes } from "../platform/routes";
import { describeSettingPlaces, routes as routesSetting } from "../settings/settingTable";
import { awaitPauseOrCancellation } from "../support/abort";
import { ConflictError, RequestError, RequestRejectedError, ResponseShapeError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { stalePlatformAnswerRetries } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { OperationContext } from "./lifecycle";

/** The statuses that a platform may send while it has no bundle yet, in addition to 202 and 409. */
const notYet: readonly unknown[] = [404, 425, 503];

/** The statuses with which a platform answers if it lacks the operation. 404 may also mean an unknown job. */
const missingOperation: readonly unknown[] = [404, 405, 501];

/** The largest number of repeats after an answer that cannot be parsed, for example a gateway's error page. */
const mostRepeats = 2;

/** Repeats the request while the bundle is not ready, and after an answer that cannot be parsed. */
export async function mintLink(job: string, context: OperationContext): Promise<MintedLink> {
  const { connect, signal, clock, status } = context;
  const client = await connect();
  const bundleDue = context.bundlesDue.get(job);
  const packingEnds = Deadline.in(stalePlatformAnswerRetries.packing.time, clock);
  let hasAskedForRecord = false;
  for (let repeats = 0; ; ) {
    try {
      return await client.createBundle(job, { signal });
    } catch (error) {
      const { status: answered, retryAfter = 0 }: Partial<RequestError> = error instanceof RequestError ? error : {};
      const pause = Math.max(stalePlatformAnswerRetries.bundle.pause, retryAfter);
      if (error instanceof RequestError && missingOperation.includes(answered) && !hasAskedForRecord) {
        hasAskedForRecord = true;
        await requireNoLinkInRecord(job, error, client, context);
      }
      const isUnready = error instanceof ConflictError || notYet.includes(answered);
      const wait = answered === 202 ? packingEnds : isUnready ? bundleDue : undefined;
      const isLate = wait?.allows(pause);
      if (!isLate && !(wait === undefined && error instanceof ResponseShapeError && repeats++ < mostRepeats)) {
        throw error;
      }
      const trouble = isLate ? "the bundle is not ready yet" : "the answer cannot be understood";
      status(`${trouble}: next try in ${formatDuration(pause)}, job ${job}`);
      await awaitPauseOrCancellation(clock.sleep(pause, signal));
    }
  }
}

/**
 * Called if the platform seems to lack the operation that creates a link. Then a completed job's record may have the
 * link.
 * @throws RequestRejectedError if the record has a link. The error shows how to set `routes` to read it.
 */
async function requireNoLinkInRecord(
  job: string,
  answer: RequestError,
  client: PlatformClient,
  { signal, settings }: OperationContext,
): Promise<void> {
  const { routes } = settings();
  const record = routes.getExport ?? platformRoutes.getExport.path;
  const generateBundle = /^(GET|POST) /.test(record) ? record : `GET ${record}`;
  if (routes.generateBundle === generateBundle) {
    return;
  }
  // An error of this look-up is ignored: the error of the request for a link says more.
  const { hasLink } = await client.getExport(job, { signal, maxRetries: 0 }).catch(() => ({ hasLink: undefined }));
  if (hasLink) {
    throw new RequestRejectedError({
      happened: `this platform has no operation for bundles, but the record of export job ${job} has a link: ${answer.happened}`,
      remedy: `let the link be read from the record: set ${describeSettingPlaces(routesSetting)} to the templates in this line.`,
      paste: words.routes({ ...routes, generateBundle }),
    });
  }
}
