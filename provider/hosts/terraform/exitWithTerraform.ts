import type { Session } from "../../engine/session";

/** How often it is looked whether Terraform is still there, in milliseconds. */
const interval = 500;

/**
 * Ends this process with Terraform: when it asks for that, and also when it was killed. What was sent is answered first, so
 * that the journal has it. A Ctrl-C reaches this process, too, which leaves it to Terraform to say what is to be done.
 */
export function exitWithTerraform(session: Session): { leave(): void } {
  const parent = process.ppid;
  const leave = async (code: number) => {
    await session.allNoted();
    await session.end(false);
    process.exit(code);
  };
  process.on("SIGINT", () => {});
  setInterval(() => {
    if (process.ppid !== parent) {
      void leave(1);
    }
  }, interval).unref();
  // The answer to the request that asks for it goes out first.
  return { leave: () => void setImmediate(() => leave(0)) };
}
