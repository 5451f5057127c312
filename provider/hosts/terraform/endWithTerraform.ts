/** How often it is looked whether Terraform is still there, in milliseconds. */
const interval = 500;

/**
 * Ends this process with a Terraform that was killed, once nothing is left to be answered. A Ctrl-C reaches this process, too,
 * which leaves it to Terraform to say what is to be done.
 */
export function endWithTerraform(abandon: () => Promise<void>): void {
  const parent = process.ppid;
  process.on("SIGINT", () => {});
  // Who has read the log is gone before the last answer is written to the journal.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", () => {});
  }
  const timer = setInterval(async () => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      await abandon();
      process.exit(1);
    }
  }, interval);
}
