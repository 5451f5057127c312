/** The shortest time between two reports of one wait, in milliseconds. */
const shortestGap = 2_000;
/**
 * The share of the elapsed time between two reports. A longer wait reports less often, since each report is a line in a
 * run without a display.
 */
const shareOfElapsed = 0.06;

/**
 * Lets the first report through, and then at most one every two seconds. The longer the wait lasts, the fewer reports
 * pass.
 */
export function throttleStatus(show: (text: string) => void, now: () => number): (text: string) => void {
  let begin: number | undefined;
  let last = 0;
  return (text) => {
    const time = now();
    begin ??= time;
    const gap = Math.max(shortestGap, (time - begin) * shareOfElapsed);
    if (begin === time || time - last >= gap) {
      last = time;
      show(text);
    }
  };
}
