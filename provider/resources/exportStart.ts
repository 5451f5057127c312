import type { ExportOptions, PlatformClient, StartedExport } from "../platform/client";
import type { WaitLimit } from "../polling/pollJob";
import { awaitPauseOrCancellation } from "../support/abort";
import { asDocsPlatformError, ConflictError, JournalError, RateLimitError, RequestError } from "../support/errors";
import { isSameHost } from "../support/hostNames";
import { formatStringLiteral } from "../support/printable";
import type { Deadline } from "../support/time/deadline";
import { calculateBackoffDelay, delays } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { OperationContext } from "./lifecycle";
import { AlreadyStartedError, type PendingStart } from "./pendingStart";

interface ExportRequest {
  domain: string;
  exportOptions?: ExportOptions;
}

/** If the platform answers 409 (one job at a time), the start is repeated within the time limit of the wait. */
export async function startExportJob(
  request: ExportRequest,
  start: PendingStart,
  { deadline }: WaitLimit,
  context: OperationContext,
): Promise<StartedExport> {
  const { domain } = request;
  let count: StartCount | undefined;
  try {
    const client = await context.connect();
    count = counts.get(client) ?? { wanted: 0, accepted: 0 };
    counts.set(client, count);
    count.wanted++;
    const started = await startWhenFree(request, start, deadline, client, context);
    count.accepted++;
    return started;
  } catch (error) {
    if (count !== undefined && error instanceof AlreadyStartedError) {
      count.wanted--;
    }
    throw error instanceof AlreadyStartedError ? error : withOutcome(error, domain, start, count);
  }
}

/** The number of starts that this process has requested, and the number that the platform has accepted. */
interface StartCount {
  wanted: number;
  accepted: number;
}

const counts = new WeakMap<PlatformClient, StartCount>();

async function startWhenFree(
  { domain, exportOptions }: ExportRequest,
  start: PendingStart,
  deadline: Deadline,
  client: PlatformClient,
  context: OperationContext,
): Promise<StartedExport> {
  let other: { jobId: string; isAdoptable: boolean } | undefined;
  for (let conflicts = 0; ; conflicts++) {
    // After the deadline, one last start is tried, because the machine may have slept through the whole wait.
    const isLate = deadline.hasPassed;
    try {
      const onLimit = (pause: number) =>
        context.status(`next try in ${formatDuration(pause)}: limit of starts reached, ${domain}`);
      return await client.startExport(
        domain,
        { ...(!isLate && { deadline }), signal: context.signal, once: start, onLimit },
        exportOptions,
      );
    } catch (error) {
      const left = Math.max(0, deadline.left);
      if (!(error instanceof ConflictError)) {
        throw error;
      }
      const { jobId } = error;
      if (jobId === undefined) {
        other = undefined;
      } else if (jobId !== other?.jobId) {
        const look = () => client.getExport(jobId, { signal: context.signal, maxRetries: 0 }).catch(() => undefined);
        const exported = error.domain ?? (await look())?.domain;
        // If the answer names no domain, the job may be of this domain. So the program may adopt it.
        other = { jobId, isAdoptable: exported === undefined || isSameHost(exported, domain) };
      }
      if (isLate || (error.retryAfter ?? 0) > left) {
        throw other === undefined ? error : withAdoption(error, domain, other);
      }
      const planned = Math.max(
        delays.conflict.first,
        error.retryAfter ?? calculateBackoffDelay(delays.conflict, conflicts),
      );
      const pause = Math.min(planned, left);
      if (other?.isAdoptable && conflicts === 0) {
        context.warn(
          `export job ${other.jobId} of ${domain} is already running: this run waits for it, and then starts its own. To use that job instead: ${words.argument("jobId", formatStringLiteral(other.jobId))}`,
        );
      }
      const name = other === undefined ? "another export job" : `export job ${other.jobId}`;
      context.status(`next try in ${formatDuration(pause)}: ${name} is running, ${domain}`);
      await awaitPauseOrCancellation(context.clock.sleep(pause, context.signal));
    }
  }
}

function withAdoption(
  error: ConflictError,
  domain: string,
  { jobId, isAdoptable }: { jobId: string; isAdoptable: boolean },
): ConflictError {
  const again = `run \`${words.run}\` again when job ${jobId} has ended`;
  return error.withOutcome({
    ...notStarted(domain),
    ...(isAdoptable
      ? {
          remedy: `${again}, or adopt it:`,
          paste: words.adoption(formatStringLiteral(domain), formatStringLiteral(jobId)),
        }
      : { remedy: `${again}. That job exports another domain.` }),
  });
}

function withOutcome(error: unknown, domain: string, { removal }: PendingStart, count: StartCount | undefined): Error {
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
      paste: words.adoption(formatStringLiteral(domain), '"<the id of that job>"'),
    });
  }
  if (reason instanceof JournalError && reason.isLost) {
    return reason.withOutcome({
      exists: `perhaps a job for ${domain} that an earlier run has started; this run does not know its id.`,
      nextRun: "sends nothing and fails with this error again, until you do one of the following.",
      remedy: `${reason.remedy} If there is one, adopt it:`,
      paste: words.adoption(formatStringLiteral(domain), '"<the id of that job>"'),
    });
  }
  const isLimit = reason instanceof RateLimitError || reason instanceof ConflictError;
  return reason.withOutcome(notStarted(domain, isLimit ? count : undefined));
}

/**
 * @param count is given only if a limit refused the start: a program with several starts may then need several runs.
 */
function notStarted(domain: string, count?: StartCount): { exists: string; nextRun: string } {
  const several =
    count === undefined || count.wanted < 2
      ? ""
      : ` This run wanted ${count.wanted} starts, and the platform has accepted ${count.accepted} of them.`;
  return { exists: `no export job of ${domain} was started.${several}`, nextRun: "tries to start the job again." };
}
