/** The shortest time between two reports of one wait, in milliseconds. */
const shortestGap = 2_000;
/** Longer waits report less often, since each report is a line in a run without a display. */
const shareOfElapsed = 0.06;

/** Lets through the first report, and then one each two seconds or more, the rarer the longer it lasts. */
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
