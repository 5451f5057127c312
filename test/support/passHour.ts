interface Clocked {
  /** Sets the provider's clock this many milliseconds ahead of the machine's clock. */
  setClockAhead(ahead: number): void;
}

/** In milliseconds. It is longer than the life of a link in these tests. */
const hour = 3_600_000;

/**
 * Moves two clocks an hour ahead, the platform's and the provider's, so that a link expires. The tests use no link with
 * a short life, because on a busy machine it would expire before its first use.
 */
export function passHour(platform: { clockOffset: number }, stack: Clocked): void {
  platform.clockOffset += hour;
  stack.setClockAhead(platform.clockOffset);
}
