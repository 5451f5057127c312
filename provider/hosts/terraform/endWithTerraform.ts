/** The time between two checks that Terraform still runs, in milliseconds. */
const interval = 500;

/**
 * Ends this process after Terraform was killed, when no answer is awaited any more. A Ctrl-C also reaches this process,
 * and is ignored: Terraform decides what to do.
 */
export function endWithTerraform(abandon: () => Promise<void>): void {
  const parent = process.ppid;
  process.on("SIGINT", () => {});
  const timer = setInterval(async () => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      await abandon();
      process.exit(1);
    }
  }, interval);
}
