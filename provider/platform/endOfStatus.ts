/** The API text names only `failed`. The other words are common in APIs: a job with such a status never completes. */
const failures = [
  ...["failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "rejected", "deleted", "expired"],
  ...["timedout", "timeout", "terminated", "killed", "stopped"],
];

/**
 * Returns how a job ended, by the platform's word in any case, with or without separators. Any other word means that the
 * job still runs. `archived` ends agent jobs only.
 */
export function endOfStatus(status: string | undefined): "completed" | "archived" | "failed" | undefined {
  const word = status?.toLowerCase().replace(/[\s_-]/g, "");
  return word === "completed" || word === "archived" ? word : failures.includes(word ?? "") ? "failed" : undefined;
}
