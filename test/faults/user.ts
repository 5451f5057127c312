import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StaticExportState } from "../../provider/definitions/staticExport";
import { RecordedStart } from "../../provider/engine/recordedStart";
import { createPlatformClient, type PlatformClient } from "../../provider/platform/client";
import { openConnection } from "../../provider/platform/connection";
import { createTransport } from "../../provider/platform/transport";
import type { OperationContext } from "../../provider/resources/lifecycle";
import { loadMirrorLibrary } from "../../provider/resources/mirrorLibrary";
import type { Settings } from "../../provider/settings/settings";
import { DocsPlatformError, RequestError } from "../../provider/support/errors";
import { systemClock } from "../../provider/support/time/clock";
import type { Platform } from "../../simulator/index";
import { never, testSettings } from "../support/clientUnderTest";
import { planned } from "../support/decisions";
import { entriesToRemove } from "../support/entriesToRemove";
import { TestSession } from "../support/testSession";
import { SavedFailure, throwingLifecycles } from "../support/throwingLifecycles";

const { exportBundle, staticExport } = throwingLifecycles;

const journalFolder = mkdtempSync(join(tmpdir(), "users-journal-"));
process.once("exit", () => rmSync(journalFolder, { recursive: true, force: true }));

export interface RunEnd {
  /** The code of the run's error. If the error's class is not the provider's, this text begins with `foreign: `. */
  error: string | undefined;
  message: string;
  saved: boolean;
  /** True if the error says that the platform may have done what the request asked for. */
  doubtful: boolean;
  /** The number of jobs that the platform accepted in this run, counted when no request is on its way. */
  accepted: number;
}

export interface FaultScenario {
  platform: Platform;
  /** The address of the platform, or of a proxy in front of it. */
  baseUrl: string;
  /** Resolves when no request is on its way to the platform. */
  rest(): Promise<void>;
  settings?: Partial<Settings>;
  random?: () => number;
}

/** A simulated user, who has a state and a program with an export and its bundle. */
export class User {
  readonly runs: RunEnd[] = [];
  readonly domain = "docs.example.com";
  state: StaticExportState | undefined;
  link: string | undefined;
  /** After an error that says that a job may be running, the user adopts this job. */
  adopted: string | undefined;
  readonly #name = randomUUID();
  readonly #connection;
  /** A session remembers the requests of its run, so each run has a new session. */
  #session = new TestSession();
  readonly #starts: RecordedStart[] = [];
  readonly #context: OperationContext;
  /** A test may change the key. The next client then uses the new key on the same connections. */
  apiKey: string;

  constructor(private readonly around: FaultScenario) {
    this.apiKey = around.platform.apiKey;
    const requestTimeout = around.settings?.requestTimeout ?? 400;
    this.#connection = openConnection(this.#settings(requestTimeout), requestTimeout);
    const settings = () => this.#settings(requestTimeout);
    const journal = { place: journalFolder, required: true };
    this.#context = {
      clock: systemClock,
      signal: never,
      settings,
      signingKey: () => undefined,
      connect: async () => this.#client(settings()),
      mirrors: loadMirrorLibrary,
      // The next run needs the journal entry of an unanswered start, so the journal is a real folder.
      pendingStart: (request) => {
        const start = new RecordedStart(this.#session, `urn:user:${this.#name}`, request, { requestTimeout, journal });
        this.#starts.push(start);
        return start;
      },
      hasMade: () => false,
      bundlesDue: new Map(),
      owner: "",
      savedState: async () => undefined,
      status: () => {},
      lastStatus: () => {},
      warn: () => {},
      info: () => {},
    };
  }

  /**
   * @param pause the pause between two runs, in milliseconds.
   * @param limit the time after which no further run begins, in milliseconds.
   */
  async runUntilGood(pause: number, limit: number): Promise<void> {
    const end = Date.now() + limit;
    while ((await this.run()).error !== undefined && Date.now() < end) {
      await systemClock.sleep(pause);
    }
  }

  async run(): Promise<RunEnd> {
    const before = this.around.platform.starts;
    this.#session = new TestSession();
    let error: unknown;
    try {
      await this.#up();
    } catch (thrown) {
      error = thrown;
    } finally {
      for (const start of this.#starts.splice(0)) {
        this.#session.answered(start);
      }
    }
    if (this.state === undefined) {
      await this.around.rest();
    }
    const end = this.#endOf(error, this.around.platform.starts - before);
    if (end.doubtful && !end.saved) {
      // The user follows the error's advice: adopts the job if there is one, and otherwise removes the journal entry.
      this.adopted = this.around.platform.jobs.list()[0]?.jobId;
      for (const name of this.adopted === undefined ? entriesToRemove(end.message) : []) {
        rmSync(join(journalFolder, `${name}.json`));
      }
    }
    this.runs.push(end);
    return end;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #up(): Promise<void> {
    const inputs = { domain: this.domain, ...(this.adopted !== undefined && { jobId: this.adopted }) };
    try {
      if (this.state === undefined) {
        this.state = (await staticExport.create(inputs, this.#context)).state;
      } else if (planned("StaticExport", this.state, inputs, Date.now()).replaces.length > 0) {
        throw new Error(`job ${this.state.jobId} (${this.state.status}) would be replaced`);
      } else {
        this.state = await staticExport.update(this.state.jobId, this.state, inputs, this.#context);
      }
    } catch (error) {
      if (error instanceof SavedFailure) {
        this.state = error.state as StaticExportState;
      }
      throw error;
    }
    const { jobId, version } = this.state;
    this.link = (await exportBundle.create({ jobId, version }, this.#context)).state.bundleUrl;
  }

  #endOf(thrown: unknown, accepted: number): RunEnd {
    const reason = thrown instanceof SavedFailure ? thrown.reason : thrown;
    const foreign = (error: unknown) => `foreign: ${error instanceof Error ? error.stack : String(error)}`;
    return {
      error: reason === undefined ? undefined : reason instanceof DocsPlatformError ? reason.code : foreign(reason),
      message: reason instanceof Error ? reason.message : "",
      saved: this.state !== undefined,
      doubtful: reason instanceof RequestError && reason.doubtful,
      accepted,
    };
  }

  #settings(requestTimeout: number): Settings {
    const { baseUrl, settings } = this.around;
    return testSettings(baseUrl, { apiKey: this.apiKey, requestTimeout, maxRetries: 6, ...settings });
  }

  #client(settings: Settings): PlatformClient {
    const parts = {
      connection: this.#connection,
      clock: systemClock,
      random: this.around.random ?? Math.random,
      trace: () => {},
    };
    return createPlatformClient(createTransport(settings, parts), settings);
  }
}
