import { formatDuration } from "../support/time/duration";

/** The begin and the end of a link's life by the platform's clock, in milliseconds since the epoch. */
export interface LinkLife {
  validFrom: number;
  /** The earlier one of two times: the platform's `expiresAt`, and the end of the link's signature. */
  validUntil: number;
}

/**
 * Returns the time before the link's end at which the link is renewed, in milliseconds. It is at most half of the
 * link's life, because otherwise every run would renew a short-lived link.
 */
export function renewalMargin({ validFrom, validUntil }: LinkLife, wanted: number): number {
  return Math.min(wanted, Math.max(0, validUntil - validFrom) / 2);
}

export function renewalTime(life: LinkLife, wanted: number): number {
  return life.validUntil - renewalMargin(life, wanted);
}

/**
 * Returns true if the link must be renewed now. A link whose issue time is in the future is renewed, too: this
 * machine's clock is then too far behind to notice the link's end, and a new mint measures the clock.
 */
export function isRenewalDue(life: LinkLife, wanted: number, now: number): boolean {
  return now >= renewalTime(life, wanted) || now < life.validFrom - renewalMargin(life, wanted);
}

export function renewalReason(life: LinkLife, wanted: number, now: number): string {
  const margin = renewalMargin(life, wanted);
  const left = life.validUntil - now;
  if (now < life.validFrom - margin) {
    return "this machine's clock shows a time before the link's start: will be renewed";
  }
  return left > 0
    ? `link ends in ${formatDuration(left)} (renewed ${formatDuration(margin)} before): will be renewed`
    : `link ended ${formatDuration(Math.max(1_000, -left))} ago: will be renewed`;
}
