/** The API text names only `failed`. Other APIs use the other words for a job that will never complete. */
const failures = [
  ...["failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "rejected", "deleted", "expired"],
  ...["timedout", "timeout", "terminated", "killed", "stopped"],
];

/**
 * Returns undefined for a job that still runs, and for an unknown word. The case and the separators of the status do
 * not matter. Only agent jobs end with `archived`.
 */
export function classifyJobEnd(status: string | undefined): "completed" | "archived" | "failed" | undefined {
  const word = status?.toLowerCase().replace(/[\s_-]/g, "");
  return word === "completed" || word === "archived" ? word : failures.includes(word ?? "") ? "failed" : undefined;
}
