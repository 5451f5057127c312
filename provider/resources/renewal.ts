import { exportBundleDefinition as definition, type ExportBundleState } from "../definitions/exportBundle";
import { formatDuration, parseDuration } from "../support/time/duration";

/** The times that decide when a link is renewed: milliseconds since the epoch, by the platform's clock. */
interface Renewal {
  now: number;
  endsAt: number;
  renewAt: number;
  /** From `renewAt` to `endsAt`, in milliseconds. */
  margin: number;
  /** True if the issue time is in the future by more than `margin`: this machine's clock is too far behind. */
  isEarly: boolean;
  /** A link with `isEarly` is due, too: its renewal measures the difference between the clocks anew. */
  isDue: boolean;
}

type MarginInput = { readonly renewBefore?: unknown };

export function computeLinkRenewal(state: ExportBundleState, inputs: MarginInput, machineTime: number): Renewal {
  const now = machineTime + (state.__clockOffset ?? 0);
  const [begin, endsAt] = [Date.parse(state.issuedAt), linkExpiry(state)];
  const margin = renewalMargin(endsAt - begin, state.__renewedAfterEnd ? 0 : requestedRenewalMargin(inputs));
  const [renewAt, isEarly] = [endsAt - margin, now < begin - margin];
  return { now, endsAt, renewAt, margin, isEarly, isDue: now >= renewAt || isEarly };
}

/** Returns the platform's `expiresAt`, or the expiry time of the link's signature if that is earlier. */
export function linkExpiry({ __signatureEnd, expiresAt }: ExportBundleState): number {
  return Date.parse(__signatureEnd ?? expiresAt);
}

/**
 * A margin as long as the link's life would make every run renew the link. So the margin is at most half of the life.
 */
export function renewalMargin(life: number, wanted: number): number {
  return Math.min(wanted, Math.max(0, life) / 2);
}

/** In milliseconds. The input may be unknown in a preview: infinity then stands for the largest possible margin. */
export function requestedRenewalMargin({
  renewBefore: wanted = definition.fields.renewBefore.default,
}: MarginInput): number {
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
