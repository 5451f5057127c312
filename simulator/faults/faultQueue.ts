import type { PlatformOperation } from "../requests/operation";
import type { Fault } from "./fault";

interface Waiting {
  readonly fault: Fault;
  passes: number;
  left: number;
}

/** The faults for future requests, in the order of their injection. */
export class FaultQueue {
  #waiting: Waiting[] = [];

  inject(fault: Fault): void {
    const { count = 1, after = 0 } = fault;
    if (!(count >= 1) || !(after >= 0)) {
      throw new RangeError(`A fault needs count >= 1 and after >= 0: ${describe(fault)}`);
    }
    checkKind(fault);
    this.#waiting.push({ fault, passes: after, left: count });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts a request of this operation. Returns the oldest fault that is due. */
  take(operation: PlatformOperation): Fault | undefined {
    let taken: Fault | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.fault.operation !== operation) {
        continue;
      }
      // A request counts for the `after` of every fault, even if it gets another fault.
      if (waiting.passes > 0) {
        waiting.passes -= 1;
      } else if (taken === undefined) {
        taken = waiting.fault;
        waiting.left -= 1;
      }
    }
    this.#waiting = this.#waiting.filter((waiting) => waiting.left > 0);
    return taken;
  }
}

function checkKind(fault: Fault): void {
  const status = fault.kind === "status" || fault.kind === "body" ? (fault.status ?? 200) : 200;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`The status of a fault is 200 to 599: ${describe(fault)}`);
  }
  if ("ms" in fault && !(fault.ms >= 0)) {
    throw new RangeError(`The pause of a fault is 0 or more: ${describe(fault)}`);
  }
}

function describe(fault: Fault): string {
  return `${fault.operation} ${fault.kind}`;
}
