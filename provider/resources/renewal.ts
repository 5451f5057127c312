import { exportBundleDefinition as definition, type ExportBundleState } from "../definitions/exportBundle";
import { formatDuration, parseDuration } from "../support/time/duration";

/** When a link is renewed. Times are milliseconds since the epoch, by the platform's clock. */
interface Renewal {
  now: number;
  endsAt: number;
  renewAt: number;
  /** The time between the two, in milliseconds. */
  margin: number;
  /** True if the link's issue time is in the future: this machine's clock is too far behind to notice the link's end. */
  isEarly: boolean;
  /**
   * True if the link must be renewed now. A link whose life begins in the future is due, too, because a new mint
   * measures the clock.
   */
  isDue: boolean;
}

export function renewalOf(
  state: ExportBundleState,
  inputs: { readonly renewBefore?: unknown },
  machineTime: number,
): Renewal {
  const now = machineTime + (state.__clockOffset ?? 0);
  const [begin, endsAt] = [Date.parse(state.issuedAt), endOfLink(state)];
  const margin = renewalMargin(endsAt - begin, state.__renewedAfterEnd ? 0 : renewBefore(inputs));
  const [renewAt, isEarly] = [endsAt - margin, now < begin - margin];
  return { now, endsAt, renewAt, margin, isEarly, isDue: now >= renewAt || isEarly };
}

/** Returns the earlier one of two times: the platform's `expiresAt`, and the end of the link's signature. */
export function endOfLink({ __signatureEnd, expiresAt }: ExportBundleState): number {
  return Date.parse(__signatureEnd ?? expiresAt);
}

/**
 * Returns the time before the link's end at which the link is renewed, in milliseconds. It is at most half of the
 * link's life, because otherwise every run would renew a short-lived link.
 */
export function renewalMargin(life: number, wanted: number): number {
  return Math.min(wanted, Math.max(0, life) / 2);
}

/** Returns the wanted margin, in milliseconds; infinity if a preview does not know the value. */
export function renewBefore({
  renewBefore: wanted = definition.fields.renewBefore.default,
}: {
  readonly renewBefore?: unknown;
}): number {
  return typeof wanted === "string" ? (parseDuration(wanted) ?? 0) : Number.POSITIVE_INFINITY;
}

export function renewalReason({ now, endsAt, margin, isEarly }: Renewal): string {
  if (isEarly) {
    return "this machine's clock shows a time before the link's start: will be renewed";
  }
  const left = endsAt - now;
  return left > 0
    ? `link ends in ${formatDuration(left)} (renewed ${formatDuration(margin)} before): will be renewed`
    : `link ended ${formatDuration(Math.max(1_000, -left))} ago: will be renewed`;
}
