import { inputsOfState, mergeUpdatableInputs, savedStateGuard } from "../definitions/definition";
import {
  exportBundleDefinition as definition,
  type ExportBundleInputs,
  type ExportBundleState,
} from "../definitions/exportBundle";
import type { MintedLink } from "../platform/client";
import { awaitPauseOrCancellation } from "../support/abort";
import { asDocsPlatformError, LinkExpiredError, NotFoundError, StorageRefusedLinkError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { stalePlatformAnswerRetries } from "../support/time/delays";
import { formatDuration, formatIsoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { Lifecycle, OperationContext } from "./lifecycle";
import { mintLink } from "./mintLink";
import { computeLinkRenewal, linkExpiry, renewalMargin, renewalReason, requestedRenewalMargin } from "./renewal";
import { requireSameOrigin } from "./requireSameOrigin";

/** In milliseconds. A larger difference between this machine's clock and the platform's clock causes a warning. */
const notableOffset = 120_000;

const isSaved = savedStateGuard<ExportBundleState>("jobId", "expiresAt", "issuedAt");

export const exportBundleLifecycle: Lifecycle<ExportBundleInputs, ExportBundleState> = {
  decide(state, inputs, { replacing, updating }, now) {
    const renewal = computeLinkRenewal(state, inputs, now);
    const due = renewal.isDue;
    const reason = due && replacing.length === 0 ? renewalReason(renewal) : undefined;
    return { replaces: replacing, update: due || updating.length > 0, changingOutputs: due ? "all" : [], reason };
  },

  async create(inputs, context, earlier) {
    const state = await mint(inputs, context, earlier).catch((error: unknown) => {
      throw asDocsPlatformError(error).withOutcome({
        exists: `export job ${inputs.jobId}; no link to its bundle.`,
        nextRun: "tries to create the link again.",
      });
    });
    return { id: inputs.jobId, state };
  },

  async read(_, state, context) {
    if (!isSaved(state)) {
      return undefined;
    }
    const inputs = inputsOfState(definition, state);
    const due = computeLinkRenewal(state, inputs, context.clock.now()).isDue;
    if (!due && !inputs.verifyLink) {
      return state;
    }
    requireSameOrigin(state.__origin, context.settings().origin);
    try {
      if (!due && !(await isRefused(state.bundleUrl, context, false))) {
        return state;
      }
      const renewed = await mint(inputs, context, state);
      if (renewed.bundleUrl !== state.bundleUrl) {
        context.warn(
          `the refresh renewed the link. Outputs, and what else uses the link, have the earlier one until \`${words.run}\`.`,
        );
      }
      return renewed;
    } catch (error) {
      if (error instanceof NotFoundError) {
        return undefined;
      }
      throw withKeptLink(error, state, context);
    }
  },

  async update(id, state, inputs, context) {
    requireSameOrigin(state.__origin, context.settings().origin);
    if (!computeLinkRenewal(state, inputs, context.clock.now()).isDue) {
      return { id, state: mergeUpdatableInputs(definition, state, inputs) };
    }
    const renewed = await mint({ ...inputs, jobId: state.jobId }, context, state).catch((error: unknown) => {
      throw withKeptLink(error, state, context);
    });
    return { id, state: renewed };
  },
};

/** Mints a new link. With `verifyLink`, mints a second link if the storage keeps refusing the first one. */
async function mint(inputs: ExportBundleInputs, context: OperationContext, before?: ExportBundleState) {
  const first = await mintOnce(inputs, context, before);
  if (!inputs.verifyLink || !(await isRefused(first.bundleUrl, context, true))) {
    return first;
  }
  const second = await mintOnce(inputs, context, before);
  if (await isRefused(second.bundleUrl, context, true)) {
    throw new StorageRefusedLinkError({
      happened: `the storage refused two new links in a row for export job ${inputs.jobId}`,
      remedy: "tell the platform's operator: the credentials that sign its links, or its clock, are wrong.",
    });
  }
  return second;
}

/** The check of a new link is repeated for some time, because the storage may not know the link yet. */
async function isRefused(link: string, context: OperationContext, isNew: boolean): Promise<boolean> {
  const { clock, signal } = context;
  const client = await context.connect();
  const lastTry = Deadline.in(isNew ? stalePlatformAnswerRetries.link.time : 0, clock);
  for (;;) {
    const status = await client.checkLink(link, { signal });
    if ((status === 403 || status === 404) && lastTry.allows(stalePlatformAnswerRetries.link.pause)) {
      await awaitPauseOrCancellation(clock.sleep(stalePlatformAnswerRetries.link.pause, signal));
      continue;
    }
    if (status === undefined || (status >= 400 && status !== 403)) {
      context.warn(
        `the link could not be verified: the storage ${status === undefined ? "gave no answer" : `answered HTTP ${status}`}.`,
      );
    }
    return status === 403;
  }
}

async function mintOnce(inputs: ExportBundleInputs, context: OperationContext, before?: ExportBundleState) {
  const { origin } = context.settings();
  const link = await mintLink(inputs.jobId, context);
  const end = Math.min(link.expiresAt, link.signatureEnd ?? Number.POSITIVE_INFINITY);
  if (end <= link.platformTime) {
    throw new LinkExpiredError({
      happened: `the platform returned a link for export job ${inputs.jobId} that expired at ${formatIsoTime(end)}, but its own clock says ${formatIsoTime(link.platformTime)}`,
      remedy: `run \`${words.run}\` again. If this error comes again, tell the platform's operator: its clock, or the credentials that sign its links, are wrong.`,
    });
  }
  warnOfShortLife(end - link.platformTime, inputs, context);
  warnOfWrongClock(link, context);
  context.lastStatus(`link good for ${formatDuration(end - link.platformTime)}`);
  // The API text promises a new link only after the earlier link has expired.
  const isSame = before?.bundleUrl === link.bundleUrl;
  if (isSame) {
    context.warn(
      `the platform returned the same link again. It creates a new one only after ${formatIsoTime(end)}. The link stops working then, until a run renews it: run on a schedule right after that time, or mirror the bundle.`,
    );
  }
  const renewsLate = isSame || before?.__renewedAfterEnd === true;
  const clockOffset = Math.round(link.clockOffset);
  return {
    ...inputs,
    bundleUrl: link.bundleUrl,
    expiresAt: formatIsoTime(link.expiresAt),
    issuedAt: isSame ? before.issuedAt : formatIsoTime(link.platformTime),
    __origin: origin,
    ...(renewsLate && { __renewedAfterEnd: true as const }),
    ...(end < link.expiresAt && { __signatureEnd: formatIsoTime(end) }),
    ...(clockOffset !== 0 && { __clockOffset: clockOffset }),
  };
}

function warnOfWrongClock({ platformTime, clockOffset }: MintedLink, context: OperationContext): void {
  if (Math.abs(clockOffset) > notableOffset) {
    context.warn(
      `this machine's clock says ${formatIsoTime(platformTime - clockOffset)}, but the platform's clock says ${formatIsoTime(platformTime)}. Only runs with the same difference renew links at the right time.`,
    );
  }
}

function warnOfShortLife(life: number, inputs: ExportBundleInputs, context: OperationContext): void {
  const wanted = requestedRenewalMargin(inputs);
  const margin = renewalMargin(life, wanted);
  if (inputs.renewBefore !== undefined && margin < wanted) {
    context.warn(
      `${words.name("renewBefore")} (${formatDuration(wanted)}) is more than half of the link's life (${formatDuration(life)}); the link is renewed ${formatDuration(margin)} before its end.`,
    );
  }
}

function withKeptLink(error: unknown, state: ExportBundleState, { clock }: OperationContext): Error {
  const reason = asDocsPlatformError(error);
  const isOver = clock.now() + (state.__clockOffset ?? 0) >= linkExpiry(state);
  const end = `${isOver ? "ended at" : "is valid until"} ${state.__signatureEnd ?? state.expiresAt}`;
  return reason.withOutcome({
    exists: `export job ${state.jobId}, and its link of ${state.issuedAt}, which ${end}.`,
    nextRun: "tries to renew the link again, for the same job.",
    ...(reason instanceof NotFoundError && {
      exists: `the link of ${state.issuedAt} to export job ${state.jobId}, which ${end}.`,
      nextRun: "fails with this error again, while the platform does not know the job.",
      remedy: `${reason.remedy} If the platform has forgotten the job, start a new one: run \`${words.replace}\` with the export of this job; if the program names the job, name another one.`,
    }),
  });
}
