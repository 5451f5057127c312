const shortestGap = 2_000;
/** The share of the elapsed time between two reports. Without a display, each report is a line. */
const shareOfElapsed = 0.06;

/** Lets a report through at most every two seconds, and less often the longer the wait lasts. */
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
