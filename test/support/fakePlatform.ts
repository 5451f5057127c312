import type {
  AgentJob,
  AgentJobIds,
  ExportJob,
  MintedLink,
  PlatformClient,
  StartedExport,
} from "../../provider/platform/client";
import type { PlatformCallOptions } from "../../provider/platform/transport";
import type { OperationContext } from "../../provider/resources/lifecycle";
import { loadMirrorLibrary } from "../../provider/resources/mirrorLibrary";
import { AlreadyStartedError, type PendingStart } from "../../provider/resources/pendingStart";
import type { KeyFromFileOrCommand } from "../../provider/settings/apiKeySource";
import type { Settings } from "../../provider/settings/settings";
import { RequestError } from "../../provider/support/errors";
import { testSettings } from "./clientUnderTest";
import { FakeClock } from "./fakeClock";

export const origin = "https://api.example.com";
export const begin = Date.parse("2026-03-01T00:00:00.000Z");

export type Scripted<T> = T | Error | (() => T | Error);

/** A platform with scripted answers. The last answer of an operation repeats. */
export class FakePlatform implements PlatformClient {
  /** All calls in order, each as `operation argument`. */
  readonly calls: string[] = [];
  readonly options: PlatformCallOptions[] = [];
  starts: Scripted<Partial<StartedExport>>[] = [{}];
  looks: Scripted<Partial<ExportJob>>[] = [{ status: "completed" }];
  links: Scripted<Partial<MintedLink>>[] = [{}];
  messages: Scripted<Partial<AgentJob>>[] = [{ status: "active" }];
  agentLooks: Scripted<Partial<AgentJob>>[] = [{ status: "completed" }];

  constructor(private readonly clock: FakeClock) {}

  async startExport(domain: string, options: PlatformCallOptions): Promise<StartedExport> {
    const told = await this.#sendOnce(options, () => this.#next(this.starts, "start", domain, options));
    return { jobId: "job-1", platformTime: this.clock.now(), ...told };
  }

  async getExport(jobId: string, options: PlatformCallOptions): Promise<ExportJob> {
    return { ...bareRunningJob, platformTime: this.clock.now(), ...this.#next(this.looks, "get", jobId, options) };
  }

  async createBundle(jobId: string, options: PlatformCallOptions): Promise<MintedLink> {
    const told = this.#next(this.links, "bundle", jobId, options);
    const platformTime = this.clock.now();
    return {
      bundleUrl: `https://files.example.com/${jobId}.tar.gz?sig=${this.calls.length}`,
      expiresAt: platformTime + 3_600_000,
      signatureEnd: undefined,
      platformTime,
      clockOffset: 0,
      ...told,
    };
  }

  async sendMessage({ projectId, id }: AgentJobIds, prompt: string, options: PlatformCallOptions): Promise<AgentJob> {
    const send = () => this.#next(this.messages, "message", `${projectId} ${id} ${prompt}`, options);
    return { ...fullAgentAnswer, ...(await this.#sendOnce(options, send)) };
  }

  async getAgentJob({ projectId, id }: AgentJobIds, options: PlatformCallOptions): Promise<AgentJob> {
    return { ...minimalAgentAnswer, ...this.#next(this.agentLooks, "agent", `${projectId} ${id}`, options) };
  }

  /** The HTTP statuses that the checks of a link return, in order. The last status repeats. */
  probes: (number | undefined)[] = [206];

  async checkLink(link: string): Promise<number | undefined> {
    this.calls.push(`check ${new URL(link).pathname}`);
    const before = this.calls.filter((call) => call.startsWith("check ")).length - 1;
    return this.probes[Math.min(before, this.probes.length - 1)];
  }

  /** Calls the functions of the option `once` at the same moments as the real transport. */
  async #sendOnce<T>({ once }: PlatformCallOptions, send: () => T): Promise<T> {
    await once?.before();
    try {
      return send();
    } catch (error) {
      if (!(error instanceof RequestError && error.doubtful)) {
        await once?.refused();
      }
      throw error;
    }
  }

  #next<T>(script: Scripted<T>[], operation: string, argument: string, options: PlatformCallOptions): T {
    const before = this.calls.filter((call) => call.startsWith(`${operation} `)).length;
    this.calls.push(`${operation} ${argument}`);
    this.options.push(options);
    const scripted = script[Math.min(before, script.length - 1)];
    const told = typeof scripted === "function" ? (scripted as () => T | Error)() : scripted;
    if (told instanceof Error) {
      throw told;
    }
    return told as T;
  }
}

const bareRunningJob = {
  status: "running",
  progress: undefined,
  pageCount: undefined,
  error: undefined,
  domain: undefined,
  startedAt: undefined,
  completedAt: undefined,
};

/** The usual answer to a message. A test may script other values for some fields. */
export const fullAgentAnswer: AgentJob = {
  status: "active",
  source: { repository: "https://git.example.com/docs/site", ref: "main" },
  model: "agent-model",
  prLink: undefined,
  createdAt: begin - 86_400_000,
  archivedAt: undefined,
};

/** The usual answer of get-job. It has only `status`, unless a test scripts more fields. */
const minimalAgentAnswer: AgentJob = { ...fullAgentAnswer, source: undefined, model: undefined, createdAt: undefined };

export interface ResourceWorld {
  clock: FakeClock;
  platform: FakePlatform;
  context: OperationContext;
  journal: FakeJournal;
  warnings: string[];
  infos: string[];
  statuses: string[];
  cancel: () => void;
}

/** A test's settings that differ from the usual ones. */
export type WorldSettings = Partial<Settings> & { signingKey?: KeyFromFileOrCommand };

/** Makes a resource's context and session, without a host. */
export function world({ signingKey, ...settings }: WorldSettings = {}): ResourceWorld {
  const clock = new FakeClock(begin);
  const platform = new FakePlatform(clock);
  const controller = new AbortController();
  const warnings: string[] = [];
  const infos: string[] = [];
  const statuses: string[] = [];
  const all = testSettings(origin, { requestTimeout: 30_000, maxRetries: 4, ...settings });
  const journal = new FakeJournal();
  const context: OperationContext = {
    clock,
    owner: "this mirror",
    signal: controller.signal,
    settings: () => all,
    signingKey: () => signingKey,
    connect: async () => platform,
    mirrors: loadMirrorLibrary,
    pendingStart: () => journal.open(),
    hasMade: () => false,
    bundlesDue: new Map(),
    savedState: async () => undefined,
    status: (text) => statuses.push(text),
    lastStatus: (text) => statuses.push(text),
    warn: (text) => warnings.push(text),
    info: (text) => infos.push(text),
  };
  return {
    clock,
    platform,
    context,
    journal,
    warnings,
    infos,
    statuses,
    cancel: () => controller.abort(new Error("cancelled")),
  };
}

/** A journal without files. If a test sets `earlier`, the journal reports this start to the resource. */
export class FakeJournal {
  earlier: { id: string; acceptedAt: number; earliestBegin?: number } | undefined;
  /** The name of the journal entry that the state contains. */
  entry: string | undefined;
  readonly changes: string[] = [];

  open(): PendingStart {
    const { changes, entry } = this;
    return {
      entry,
      removal: "remove the-entry.json from the journal in /journal",
      idempotencyKey: "one",
      before: async () => {
        if (this.earlier !== undefined) {
          const { id, acceptedAt, earliestBegin } = this.earlier;
          throw new AlreadyStartedError(id, acceptedAt, acceptedAt, earliestBegin, "an earlier run");
        }
        changes.push("intended");
      },
      refused: async () => {
        changes.push("refused");
      },
      accepted: async (id) => {
        changes.push(`accepted ${id}`);
      },
      discard: async () => {
        this.earlier = undefined;
        changes.push("discarded");
      },
      adopted: async (id) => {
        changes.push(`adopted ${id}`);
      },
    };
  }
}
