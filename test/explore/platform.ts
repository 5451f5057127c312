import { createClient, type PlatformClient } from "../../provider/platform/client";
import type { Attempt, Connection, Request } from "../../provider/platform/connection";
import { createTransport } from "../../provider/platform/transport";
import { ConnectionError } from "../../provider/support/errors";
import type { Settings } from "../../provider/support/settings";
import type { Machine, Process } from "./machine";

interface Job {
  id: string;
  acceptedAt: number;
  looks: number;
  key: string;
  /** Its answer has reached a process. */
  isAnswered: boolean;
}

/** What a platform does beside accepting at once and completing a job at the second look. */
export interface PlatformHabits {
  /** What may happen to a start, each at the cost of one fault. */
  startFaults?: readonly StartFault[];
  /** A look may be refused, at the cost of one fault. */
  refusesLooks?: boolean;
  /** Jobs fail, by their number from 1. */
  failing?: readonly number[];
  /** How many looks at a job say that it still runs. */
  runningLooks?: number;
}

export type StartFault = "its answer is lost" | "never arrives" | "503" | "429" | "409";

const broken = (sent: boolean): Attempt => ({
  kind: "broken",
  error: (title) => new ConnectionError({ happened: `"${title}": connection reset`, remedy: "again." }),
  sent,
  final: false,
});

/** A model of the platform: what it has accepted, and what its answers are. */
export class ModelPlatform {
  readonly jobs: Job[] = [];
  /** The Idempotency-Key of each start that has arrived, or was lost on the way. */
  readonly keys: string[] = [];
  /** Starts of which no answer came to a process that lived on. */
  lostAnswers = 0;

  constructor(
    private readonly machine: Machine,
    private readonly habits: PlatformHabits = {},
  ) {}

  clientOf(process: Process, settings: Settings): PlatformClient {
    const connection: Connection = {
      send: (request, { signal }) => this.#send(process, request, signal),
      probeLink: async () => 200,
      close: async () => {},
    };
    const clock = this.machine.clockOf(process);
    return createClient(createTransport(settings, { connection, clock, random: () => 0.5, trace: () => {} }), settings);
  }

  async #send(process: Process, request: Request, signal: AbortSignal): Promise<Attempt> {
    const { machine } = this;
    if (request.method === "GET") {
      const id = request.path.split("/").at(-1) ?? "";
      const look = (fault: string | undefined) => {
        if (signal.aborted) {
          return broken(true);
        }
        return fault === undefined ? this.#look(id) : answer(403, { message: "no" });
      };
      return machine.step(process, `looks at ${id}`, look, this.habits.refusesLooks ? ["403"] : []);
    }
    const mayGo = await machine.step(process, "connects", () => !signal.aborted);
    if (!mayGo) {
      return broken(false);
    }
    const key = request.headers["idempotency-key"] ?? "";
    const { startFaults = [] } = this.habits;
    const given = await machine.step(
      process,
      "sends the start",
      (fault) => {
        this.keys.push(key);
        return this.#start(key, fault as StartFault | undefined);
      },
      startFaults,
    );
    // Between its effect and its answer a process may end.
    return machine.step(process, "is answered", () => {
      const job = this.jobs.find(({ id }) => given.kind === "answer" && given.text.includes(`"${id}"`));
      if (job !== undefined) {
        job.isAnswered = true;
      }
      return given;
    });
  }

  /** How many jobs were seen to have failed. */
  failed(): number {
    const { failing = [], runningLooks = 1 } = this.habits;
    return this.jobs.filter(({ looks }, index) => failing.includes(index + 1) && looks > runningLooks).length;
  }

  #start(key: string, fault: StartFault | undefined): Attempt {
    if (fault === "never arrives") {
      this.lostAnswers++;
      return broken(true);
    }
    if (fault === "503" || fault === "429") {
      return answer(Number(fault), { message: "later" }, { "retry-after": "1" });
    }
    if (fault === "409") {
      return answer(409, { message: "another job runs" }, { "retry-after": "1" });
    }
    const id = `job-${this.jobs.length + 1}`;
    this.jobs.push({ id, acceptedAt: this.machine.time, looks: 0, key, isAnswered: false });
    if (fault === "its answer is lost") {
      this.lostAnswers++;
      return broken(true);
    }
    return answer(200, { jobId: id });
  }

  #look(id: string): Attempt {
    const job = this.jobs.find((one) => one.id === id);
    if (job === undefined) {
      return answer(404, { message: "not found" });
    }
    job.looks++;
    const { failing = [], runningLooks = 1 } = this.habits;
    const isOver = job.looks > runningLooks;
    const fails = failing.includes(Number(id.split("-")[1]));
    const status = isOver ? (fails ? "failed" : "completed") : "running";
    return answer(200, { jobId: id, status, ...(status === "failed" && { error: "no" }) });
  }
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Attempt {
  return { kind: "answer", status, headers, text: JSON.stringify(body) };
}
