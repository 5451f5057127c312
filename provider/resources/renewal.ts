import { formatDuration } from "../support/time/duration";

/** A link's life by the platform's clock, in milliseconds since the epoch. */
export interface LinkLife {
  validFrom: number;
  /** The earlier of the platform's `expiresAt` and the signature's own end. */
  validUntil: number;
}

/** Never more than half of the link's life, since a short-lived link would be renewed at every run. */
export function renewalMargin({ validFrom, validUntil }: LinkLife, wanted: number): number {
  return Math.min(wanted, Math.max(0, validUntil - validFrom) / 2);
}

export function renewalTime(life: LinkLife, wanted: number): number {
  return life.validUntil - renewalMargin(life, wanted);
}

/**
 * Returns true if the link must be renewed now. This is also the case if the link was issued in the future: then the
 * clock is so far behind that it would not notice the end, and a mint measures the clock.
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
