/** A link's life on one clock, in milliseconds since the epoch. */
export interface LinkLife {
  issuedAt: number;
  /** The earlier of the platform's `expiresAt` and the signature's own end. */
  validUntil: number;
}

/**
 * How long before its end a link is renewed: as long as the caller wants, but never more than half of the link's own
 * life, or a short-lived link would be renewed at every run.
 */
export function renewalMargin({ issuedAt, validUntil }: LinkLife, renewBefore: number): number {
  return Math.min(renewBefore, Math.max(0, validUntil - issuedAt) / 2);
}

/** Whether the link must be renewed now. */
export function isRenewalDue(life: LinkLife, renewBefore: number, now: number): boolean {
  return now >= life.validUntil - renewalMargin(life, renewBefore);
}
