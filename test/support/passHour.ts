interface Clocked {
  /** Makes the clock of the stack's provider run ahead of this machine's clock, by this number of milliseconds. */
  setClockAhead(ahead: number): void;
}

/** One hour in milliseconds. It is longer than the life of a link in these tests. */
const hour = 3_600_000;

/**
 * Moves the clocks of a platform and of a stack's provider ahead by an hour, so that a link expires. A link with a
 * short life would not need this function, but on a busy machine it would expire before its first use.
 */
export function passHour(platform: { clockOffset: number }, stack: Clocked): void {
  platform.clockOffset += hour;
  stack.setClockAhead(platform.clockOffset);
}
