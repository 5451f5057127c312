import { delays } from "../../support/time/delays";

/** The signals that a terminal, `timeout` and service managers send to all processes of a run. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends this process after Terraform was killed. The signals are ignored: Terraform decides what follows a signal. */
export function exitWithTerraform(abandon: () => Promise<void>): void {
  const parent = process.ppid;
  for (const signal of signals) {
    process.on(signal, () => {});
  }
  const timer = setInterval(async () => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      await abandon();
      process.exit(1);
    }
  }, delays.engineCheck.terraform);
}
