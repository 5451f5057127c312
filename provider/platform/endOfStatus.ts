/**
 * The words for a failed job. The API text names only `failed`. The other words are common in APIs, and a job with such
 * a status never completes.
 */
const failures = [
  ...["failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "rejected", "deleted", "expired"],
  ...["timedout", "timeout", "terminated", "killed", "stopped"],
];

/**
 * Returns how a job ended. Returns undefined for any other word, because the job then still runs. The case and the
 * separators of the platform's word do not matter. `archived` ends agent jobs only.
 */
export function endOfStatus(status: string | undefined): "completed" | "archived" | "failed" | undefined {
  const word = status?.toLowerCase().replace(/[\s_-]/g, "");
  return word === "completed" || word === "archived" ? word : failures.includes(word ?? "") ? "failed" : undefined;
}
