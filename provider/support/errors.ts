import { printable } from "./printable";
import { words } from "./words";

export interface ErrorConsequenceTexts {
  exists: string;
  nextRun: string;
  /** Replaces the error's own remedy. */
  remedy?: string;
  /**
   * A line of code for the user's program, shown below the remedy. A text from another source needs `formatStringLiteral`.
   */
  paste?: string;
}

const unknownOutcome: ErrorConsequenceTexts = {
  exists: "everything in the state. This run does not know if there is more.",
  nextRun: "continues from the state and the journal.",
};

const nothingSent: ErrorConsequenceTexts = {
  exists: "what existed before; nothing was sent.",
  nextRun: "fails with this error again until it is corrected, and sends nothing.",
};

interface Facts {
  happened: string;
  remedy: string;
  /** A line of code that is shown below `remedy`. It is not shown if `withOutcome` gives a different remedy. */
  paste?: string | undefined;
  told?: readonly string[];
}

/**
 * Every error has a stable `code`, and a message of four lines: what happened, what exists now, what the next run will
 * do, and what to do. The message contains no secret and no signed link. A text from another source cannot add a line
 * to the message.
 */
export abstract class DocsPlatformError extends Error {
  abstract readonly code: Code;
  // Private, because a fact may contain a secret, and a log of the error must not show it.
  readonly #facts: Facts;
  readonly #usual: ErrorConsequenceTexts;
  #outcome: ErrorConsequenceTexts | undefined;

  constructor(facts: Facts, usual = unknownOutcome) {
    super();
    this.#facts = facts;
    this.#usual = usual;
    Object.defineProperty(this, "message", { get: () => this.#describe(), enumerable: false, configurable: true });
  }

  override get name(): string {
    return this.constructor.name;
  }

  get happened(): string {
    return printable(this.#facts.happened);
  }

  get remedy(): string {
    return printable(this.#outcome?.remedy ?? this.#facts.remedy);
  }

  /** Only the first call has an effect, because the first caller is the closest to the cause. */
  withOutcome(outcome: ErrorConsequenceTexts): this {
    this.#outcome ??= outcome;
    return this;
  }

  /** Replaces an earlier outcome, which is wrong for a caller that saves no state. */
  withNewOutcome(outcome: ErrorConsequenceTexts): this {
    this.#outcome = outcome;
    return this;
  }

  #describe(): string {
    const outcome = this.#outcome;
    const lines = [`${this.code}: ${this.happened.replace(/\.$/, "")}.`];
    lines.push(...(this.#facts.told ?? []).map((text) => `  The platform says ${printable(text)}`));
    const { exists, nextRun } = outcome ?? this.#usual;
    const { remedy = this.#facts.remedy, paste } = outcome?.remedy === undefined ? this.#facts : outcome;
    lines.push(`  Exists now: ${printable(exists)}`, `  Next run:   ${printable(nextRun)}`);
    lines.push(`  What to do: ${printable(remedy)}`);
    if (paste !== undefined) {
      lines.push(`    ${printable(paste)}`);
    }
    return lines.join("\n");
  }
}

type Code = `DOCS_${string}`;

function failure<C extends Code>(code: C): new (facts: Facts) => DocsPlatformError & { readonly code: C } {
  return class extends DocsPlatformError {
    readonly code = code;
  };
}

export class ConfigurationError extends DocsPlatformError {
  readonly code = "DOCS_CONFIGURATION";
  constructor(problems: readonly string[], remedy = `give the setting, then run \`${words.run}\` again.`) {
    super({ happened: problems.join("; "), remedy }, nothingSent);
  }
}

/**
 * The state was created under another base URL. So a "not found" from the configured platform must not remove the job.
 */
export class PlatformOriginMismatchError extends DocsPlatformError {
  readonly code = "DOCS_ORIGIN";
  constructor(stateOrigin: string, configuredOrigin: string, places: string) {
    const facts = {
      happened: `this resource was created at ${stateOrigin}, but the configured base URL is at ${configuredOrigin}.`,
      remedy: `set ${places} to the platform at ${stateOrigin}; to move to ${configuredOrigin}, run \`${words.replace}\`.`,
    };
    super(facts, nothingSent);
  }
}

interface RequestFacts extends Facts {
  retryAfter?: number | undefined;
  status?: number | undefined;
}

export abstract class RequestError extends DocsPlatformError {
  /** True if the platform may have acted on the request despite the error. */
  readonly doubtful: boolean = false;
  /** In milliseconds; undefined if the answer asks for no pause before the next request. */
  readonly retryAfter: number | undefined;
  readonly status: number | undefined;
  constructor(facts: RequestFacts) {
    super(facts);
    this.retryAfter = facts.retryAfter;
    this.status = facts.status;
  }
}

function requestFailure<C extends Code>(code: C): new (facts: RequestFacts) => RequestError & { readonly code: C } {
  return class extends RequestError {
    readonly code = code;
  };
}

export class AuthenticationError extends requestFailure("DOCS_AUTHENTICATION") {}
export class PermissionError extends requestFailure("DOCS_PERMISSION") {}
export class NotFoundError extends requestFailure("DOCS_NOT_FOUND") {}
export class ConflictError extends RequestError {
  readonly code = "DOCS_CONFLICT";
  /** The job that prevents the start, if the answer names a job. */
  readonly jobId: string | undefined;
  readonly domain: string | undefined;
  constructor(facts: RequestFacts & { jobId?: string | undefined; domain?: string | undefined }) {
    super(facts);
    this.jobId = facts.jobId;
    this.domain = facts.domain;
  }
}
export class RateLimitError extends requestFailure("DOCS_RATE_LIMIT") {}
export class RequestRejectedError extends requestFailure("DOCS_REFUSED") {}
export class ServerError extends requestFailure("DOCS_SERVER") {}
export class ConnectionError extends RequestError {
  readonly code = "DOCS_CONNECTION";
  /** True if a proxy refuses this client. Nothing was sent, and another attempt would fail in the same way. */
  readonly final: boolean;
  constructor(facts: Facts & { final?: boolean }) {
    super(facts);
    this.final = facts.final ?? false;
  }
}
export class RequestTimeoutError extends requestFailure("DOCS_TIMEOUT") {}
export class ResponseShapeError extends RequestError {
  readonly code = "DOCS_RESPONSE_SHAPE";
  override readonly doubtful: boolean;
  constructor(facts: RequestFacts, doubtful: boolean) {
    super(facts);
    this.doubtful = doubtful;
  }
}
/** A request that must not be repeated was sent, and its answer was lost. */
export class AmbiguousStartError extends RequestError {
  readonly code = "DOCS_AMBIGUOUS_START";
  override readonly doubtful = true;
}

export class JobFailedError extends failure("DOCS_JOB_FAILED") {}
export class WaitTimeoutError extends failure("DOCS_WAIT_TIMEOUT") {}
export class RunCancelledError extends DocsPlatformError {
  readonly code = "DOCS_INTERRUPTED";
  constructor() {
    super({ happened: "the run was cancelled.", remedy: `run \`${words.run}\` again when you are ready.` });
  }
}
export class LinkExpiredError extends failure("DOCS_LINK_EXPIRED") {}
/** A link leads to an address that is forbidden for links of this platform. Nothing was sent there. */
export class ForbiddenLinkAddressError extends failure("DOCS_LINK_ADDRESS") {}
export class StorageRefusedLinkError extends failure("DOCS_LINK_REFUSED") {}
/** Nothing from the archive was published. */
export class ArchiveError extends failure("DOCS_ARCHIVE") {}
export class DownloadError extends failure("DOCS_DOWNLOAD") {}
export class ChecksumError extends failure("DOCS_CHECKSUM") {}
export class DestinationError extends failure("DOCS_DESTINATION") {}
export class JournalError extends DocsPlatformError {
  readonly code = "DOCS_JOURNAL";
  /** True if the journal of an interrupted run is lost. The job of that run may still be running. */
  readonly isLost: boolean;
  constructor(facts: Facts & { isLost?: boolean }) {
    super(facts);
    this.isLost = facts.isLost ?? false;
  }
}
export class JobAdoptionError extends failure("DOCS_ADOPTION") {}
export class InternalError extends DocsPlatformError {
  readonly code = "DOCS_INTERNAL";
  constructor(cause: unknown) {
    super({
      happened: `the provider has a fault: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: `report it with this text; then run \`${words.run}\` again.`,
    });
  }
}

/** Returns true for every 404. Only a `NotFoundError` proves that the job is unknown. */
export function isNotFound(error: unknown): error is RequestError {
  return error instanceof NotFoundError || (error instanceof RequestError && error.status === 404);
}

const transientKinds = [RateLimitError, ServerError, ConnectionError, RequestTimeoutError, ResponseShapeError];

export function isTransient(error: unknown): error is RequestError {
  return transientKinds.some((kind) => error instanceof kind) && !(error instanceof ConnectionError && error.final);
}

export function asDocsPlatformError(error: unknown): DocsPlatformError {
  return error instanceof DocsPlatformError ? error : new InternalError(error);
}
