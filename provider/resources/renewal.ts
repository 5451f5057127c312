import { formatDuration } from "../support/time/duration";

/** A link's life by the platform's clock, in milliseconds since the epoch. */
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

/**
 * Whether the link must be renewed now. Also where it was issued in the future: then the clock is so far behind that it
 * would not see the end come, and a mint measures it.
 */
export function isRenewalDue(life: LinkLife, renewBefore: number, now: number): boolean {
  const margin = renewalMargin(life, renewBefore);
  return now >= life.validUntil - margin || now < life.issuedAt - margin;
}

/** Why a link that is due must be renewed now, for a person. */
export function renewalReason(life: LinkLife, renewBefore: number, now: number): string {
  const margin = renewalMargin(life, renewBefore);
  const left = life.validUntil - now;
  if (now < life.issuedAt - margin) {
    return "this machine's clock shows a time before the link's start: will be renewed";
  }
  return left > 0
    ? `link ends in ${formatDuration(left)} (renewed ${formatDuration(margin)} before): will be renewed`
    : `link ended ${formatDuration(Math.max(1_000, -left))} ago: will be renewed`;
}

/** A machine's clock, as a mint has measured it. */
export interface MeasuredClock {
  machine: string;
  /** The platform's clock less this one, in milliseconds. */
  offset: number;
}

/** How many clocks are kept: enough for machines that take turns, and not for every runner that ever was. */
const clocksKept = 4;

/** The clocks with one that was just measured. */
export function noteClock(known: readonly MeasuredClock[], measured: MeasuredClock): MeasuredClock[] {
  const others = known.filter(({ machine }) => machine !== measured.machine);
  const clocks = [...others, measured].slice(-clocksKept);
  return clocks.every(({ offset }) => offset === 0) ? [] : clocks;
}

/**
 * The platform's time, as a machine can tell it. A clock that was measured is corrected. Any other may be right, or as far
 * behind as one that was measured: the later time is taken, since an early renewal costs a request, and a late one costs a
 * dead link.
 */
export function platformTime(now: number, machine: string | undefined, clocks: readonly MeasuredClock[]): number {
  const own = clocks.find((clock) => clock.machine === machine);
  return now + (own?.offset ?? Math.max(0, ...clocks.map(({ offset }) => offset)));
}
