import type { ExportOptions, PlatformClient, StartedExport } from "../platform/client";
import { type PollResult, waitUntilDone } from "../polling/waiter";
import { interruptibleRest } from "../support/abort";
import { asDocsPlatformError, ConflictError, NotFoundError, RequestError } from "../support/errors";
import { literal } from "../support/printable";
import type { Deadline } from "../support/time/deadline";
import { formatDuration } from "../support/time/duration";
import { backoff, rests } from "../support/time/rests";
import { words } from "../support/words";
import { endOf, toldBegin, underWay } from "./exportJob";
import type { Context } from "./lifecycle";
import { beginTolerance, EarlierStartError, type PendingStart } from "./pendingStart";
import type { WaitLimit } from "./waitLimit";
import { maxFailedPolls } from "./waitLimit";
import { joinParts, troubleText } from "./waitText";

/** The content of a start. */
interface ExportRequest {
  domain: string;
  exportOptions?: ExportOptions;
}

/**
 * Starts an export job. A platform may allow only one job at a time for a deployment (409). If another job is in the
 * way, this waits for its end, within the limit of the wait, and never starts a second job beside it.
 */
export async function startExportJob(
  request: ExportRequest,
  start: PendingStart,
  { deadline }: WaitLimit,
  context: Context,
): Promise<StartedExport> {
  const { domain } = request;
  try {
    return await context.span("start export", { domain }, async (span) => {
      const started = await startWhenFree(request, start, deadline, await context.connect(), context);
      span.set({ job: started.jobId });
      return started;
    });
  } catch (error) {
    throw error instanceof EarlierStartError ? error : withOutcome(error, domain, start);
  }
}

async function startWhenFree(
  { domain, exportOptions }: ExportRequest,
  start: PendingStart,
  deadline: Deadline,
  client: PlatformClient,
  context: Context,
): Promise<StartedExport> {
  const waitedFor = new Set<string>();
  for (;;) {
    try {
      const onLimit = (rest: number) =>
        context.status(`next try in ${formatDuration(rest)}: limit of starts reached, ${domain}`);
      return await client.startExport(
        domain,
        { deadline, signal: context.signal, once: start, onLimit },
        exportOptions,
      );
    } catch (error) {
      if (!(error instanceof ConflictError)) {
        throw error;
      }
      const { jobId } = error;
      if (jobId !== undefined && (await isDismissedStart(jobId, start, deadline, client, context))) {
        context.info(
          `export job ${jobId} began after the start whose answer was lost was sent: this run continues with it, and starts none`,
        );
        return { jobId, platformTime: undefined };
      }
      // The platform may still name a job that has ended: that job is not in the way.
      const named = jobId !== undefined && !waitedFor.has(jobId) ? jobId : undefined;
      const free =
        named === undefined
          ? rest(
              error.retryAfter ?? rests.conflict.longest,
              `another export job is running, ${domain}`,
              deadline,
              context,
            )
          : waitForEnd(named, waitedFor.size, domain, deadline, client, context);
      if (!(await free)) {
        throw error;
      }
      waitedFor.add(named ?? "");
    }
  }
}

/**
 * Returns true if a job that is in the way may be that of the start whose answer was lost: the platform tells that it
 * began after that start was sent. Any other job belongs to somebody else.
 */
async function isDismissedStart(
  jobId: string,
  { dismissedStart }: PendingStart,
  deadline: Deadline,
  client: PlatformClient,
  { clock, signal }: Context,
): Promise<boolean> {
  if (dismissedStart === undefined) {
    return false;
  }
  try {
    const begin = toldBegin(await client.getExport(jobId, { deadline, signal }), clock.now());
    return begin !== undefined && begin >= dismissedStart - beginTolerance;
  } catch (error) {
    if (error instanceof NotFoundError) {
      return false;
    }
    throw error;
  }
}

/**
 * Rests before the next start.
 * @returns false if the start may not be tried again by the deadline.
 */
async function rest(
  wanted: number,
  cause: string,
  deadline: Deadline,
  { clock, signal, status }: Context,
): Promise<boolean> {
  const time = Math.max(rests.conflict.first, wanted);
  if (!deadline.allows(time)) {
    return false;
  }
  status(`next try in ${formatDuration(time)}: ${cause}`);
  await interruptibleRest(clock.sleep(time, signal));
  return true;
}

/**
 * Waits until a job has ended, and then rests. The rest is short after the first job, and longer each time that a start
 * finds another job in the way.
 * @param earlier the number of jobs that were waited for before.
 * @returns false if the start may not be tried again by the deadline.
 */
async function waitForEnd(
  jobId: string,
  earlier: number,
  domain: string,
  deadline: Deadline,
  client: PlatformClient,
  context: Context,
): Promise<boolean> {
  if (earlier === 0) {
    context.warn(
      `export job ${jobId} of ${domain} is already running: this run waits for it, and then starts its own. To use that job instead: ${words.argument("jobId", literal(jobId))}`,
    );
  }
  const ended = await waitUntilDone({
    poll: () => pollForEnd(jobId, deadline, client, context),
    deadline,
    maxFailedPolls: (failure) => maxFailedPolls(failure, context.settings()),
    signal: context.signal,
    clock: context.clock,
    onStatus: (wait) =>
      context.status(joinParts(troubleText(wait), `waiting for export job ${jobId} to end before the start`, domain)),
  });
  const time = backoff(rests.conflict, earlier);
  return ended === true && rest(time, `export job ${jobId} has ended, ${domain}`, deadline, context);
}

async function pollForEnd(
  jobId: string,
  deadline: Deadline,
  client: PlatformClient,
  { clock, signal }: Context,
): Promise<PollResult<true>> {
  try {
    const job = await client.getExport(jobId, { deadline, signal, maxRetries: 0 });
    return endOf(job) ? { done: true, value: true } : underWay(job, clock.now());
  } catch (error) {
    if (error instanceof NotFoundError) {
      return { done: true, value: true };
    }
    throw error;
  }
}

function withOutcome(error: unknown, domain: string, { dismissal }: PendingStart): Error {
  const reason = asDocsPlatformError(error);
  if (reason instanceof RequestError && reason.doubtful) {
    const none = dismissal === undefined ? `run \`${words.run}\` again.` : `run \`${dismissal} ${words.run}\` once.`;
    return reason.withOutcome({
      exists: `perhaps a job for ${domain} on the platform; this run does not know its id.`,
      nextRun:
        dismissal === undefined
          ? "starts a job, unless you adopt the job that may exist."
          : "sends nothing and fails with this error again, until you do one of the following.",
      remedy: `look for an export of ${domain} in the platform's dashboard, in the organization of the key. Look again after a minute: a request may arrive late. If the dashboard shows no exports, ask the platform's operator: the API cannot list jobs. If there is no such job, ${none} If there is one, adopt it:`,
      paste: words.adoption(literal(domain), '"<the id of that job>"'),
    });
  }
  return reason.withOutcome({
    exists: `no export job of ${domain} was started.`,
    nextRun: "tries to start the job again.",
    ...(reason instanceof ConflictError &&
      reason.jobId !== undefined && {
        remedy: `run \`${words.run}\` again when job ${reason.jobId} has ended, or adopt it:`,
        paste: words.adoption(literal(domain), literal(reason.jobId)),
      }),
  });
}
