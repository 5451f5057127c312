interface Clocked {
  /** Sets the provider's clock this many milliseconds ahead of the machine's clock. */
  setClockAhead(ahead: number): void;
}

/** In milliseconds. It is longer than the life of a link in these tests. */
const hour = 3_600_000;

/**
 * Moves the clocks of a platform and of a stack's provider ahead by an hour, so that a link expires. On a busy machine,
 * a link with a short life would expire before its first use.
 */
export function passHour(platform: { clockOffset: number }, stack: Clocked): void {
  platform.clockOffset += hour;
  stack.setClockAhead(platform.clockOffset);
}
