import { delays } from "../support/time/delays";

/** Passes on at most one status every two seconds. In a longer wait, the interval is longer. */
export function throttleStatus(show: (text: string) => void, now: () => number): (text: string) => void {
  let begin: number | undefined;
  let last = 0;
  return (text) => {
    const time = now();
    begin ??= time;
    const gap = Math.max(delays.status.shortest, (time - begin) * delays.status.share);
    if (begin === time || time - last >= gap) {
      last = time;
      show(text);
    }
  };
}
