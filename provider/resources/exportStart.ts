import type { ExportOptions, PlatformClient, StartedExport } from "../platform/client";
import { interruptibleRest } from "../support/abort";
import { asDocsPlatformError, ConflictError, RequestError } from "../support/errors";
import { literal } from "../support/printable";
import type { Deadline } from "../support/time/deadline";
import { backoff, delays } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { Context } from "./lifecycle";
import { EarlierStartError, type PendingStart } from "./pendingStart";
import type { WaitLimit } from "./wait";

interface ExportRequest {
  domain: string;
  exportOptions?: ExportOptions;
}

/**
 * Starts an export job. A platform may allow only one job at a time for a deployment (409). While another job is in the
 * way, the start is tried again, within the limit of the wait.
 */
export async function startExportJob(
  request: ExportRequest,
  start: PendingStart,
  { deadline }: WaitLimit,
  context: Context,
): Promise<StartedExport> {
  const { domain } = request;
  try {
    return await startWhenFree(request, start, deadline, await context.connect(), context);
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
  for (let conflicts = 0; ; conflicts++) {
    // As in a wait, a last try comes after the deadline: the machine may have slept until then.
    const isLate = deadline.hasPassed;
    try {
      const onLimit = (rest: number) =>
        context.status(`next try in ${formatDuration(rest)}: limit of starts reached, ${domain}`);
      return await client.startExport(
        domain,
        { ...(!isLate && { deadline }), signal: context.signal, once: start, onLimit },
        exportOptions,
      );
    } catch (error) {
      const left = Math.max(0, deadline.left);
      if (!(error instanceof ConflictError) || isLate || (error.retryAfter ?? 0) > left) {
        throw error;
      }
      const { jobId } = error;
      const planned = Math.max(delays.conflict.first, error.retryAfter ?? backoff(delays.conflict, conflicts));
      const rest = Math.min(planned, left);
      if (jobId !== undefined && conflicts === 0) {
        context.warn(
          `export job ${jobId} of ${domain} is already running: this run waits for it, and then starts its own. To use that job instead: ${words.argument("jobId", literal(jobId))}`,
        );
      }
      const other = jobId === undefined ? "another export job" : `export job ${jobId}`;
      context.status(`next try in ${formatDuration(rest)}: ${other} is running, ${domain}`);
      await interruptibleRest(context.clock.sleep(rest, context.signal));
    }
  }
}

function withOutcome(error: unknown, domain: string, { removal }: PendingStart): Error {
  const reason = asDocsPlatformError(error);
  if (reason instanceof RequestError && reason.doubtful) {
    const none = `${removal === undefined ? "" : `${removal}, then `}run \`${words.run}\` again.`;
    return reason.withOutcome({
      exists: `perhaps a job for ${domain} on the platform; this run does not know its id.`,
      nextRun:
        removal === undefined
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
