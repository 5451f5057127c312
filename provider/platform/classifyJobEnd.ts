/**
 * The statuses that mean that a job has failed. The API text names only `failed`. The other statuses are common in APIs,
 * and a job with one of them never completes.
 */
const failures = [
  ...["failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "rejected", "deleted", "expired"],
  ...["timedout", "timeout", "terminated", "killed", "stopped"],
];

/**
 * Returns how a job with this status has ended; undefined if the job still runs. Unknown words count as running. The
 * case and the separators of the status do not matter. Only agent jobs end with `archived`.
 */
export function classifyJobEnd(status: string | undefined): "completed" | "archived" | "failed" | undefined {
  const word = status?.toLowerCase().replace(/[\s_-]/g, "");
  return word === "completed" || word === "archived" ? word : failures.includes(word ?? "") ? "failed" : undefined;
}
