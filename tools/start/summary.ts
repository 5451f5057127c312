/** A step of the quickstart, and what it cost. */
export interface Step {
  title: string;
  seconds: number;
  requests: string[];
}

/** What each step cost, in requests to the platform and in seconds. */
export function printSummary(steps: readonly Step[]): void {
  console.log("\nrequests  seconds  step");
  for (const { title, seconds, requests } of steps) {
    console.log(
      `${String(requests.length).padStart(8)}  ${seconds.toFixed(1).padStart(7)}  ${title}${detail(requests)}`,
    );
  }
}

function detail(requests: readonly string[]): string {
  const count = (pattern: RegExp) => requests.filter((request) => pattern.test(request)).length;
  const parts = [
    [count(/^POST .*\/jobs$/), "start"],
    [count(/^GET /), "polls"],
    [count(/^POST .*\/bundle$/), "bundle"],
  ].filter(([number]) => number !== 0);
  return parts.length === 0 ? "" : ` (${parts.map(([number, what]) => `${number} ${what}`).join(", ")})`;
}
