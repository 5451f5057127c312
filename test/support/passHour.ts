interface Clocked {
  /** Sets the clock of the stack's provider ahead of this machine's, by milliseconds. */
  setClockAhead(ahead: number): void;
}

/** In milliseconds: longer than a link of these tests lives. */
const hour = 3_600_000;

/**
 * Moves the clocks of a platform and of a stack's provider ahead by an hour. A link with a short life would end on a busy
 * machine before it is read.
 */
export function passHour(platform: { clockOffset: number }, stack: Clocked): void {
  platform.clockOffset += hour;
  stack.setClockAhead(platform.clockOffset);
}
