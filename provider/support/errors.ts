import { printable } from "./printable";
import { words } from "./words";

/** The outcome of a failed operation. Only the resource that ran the operation knows it. */
export interface Outcome {
  /** The things that exist now, with the job's id if it is known. */
  exists: string;
  /** The action of the next run. */
  nextRun: string;
  /** Replaces the remedy of the cause, if the resource knows a better remedy. */
  remedy?: string;
  /** A line of code for the user's program, shown below the remedy. Foreign text in it must be a `literal`. */
  paste?: string;
}

/** The outcome if nobody knows more. */
const unknownOutcome: Outcome = {
  exists: "everything in the state. This run does not know if there is more.",
  nextRun: "continues from the state and the journal.",
};

/** The outcome if an error comes before anything is sent. */
const nothingSent: Outcome = {
  exists: "what existed before; nothing was sent.",
  nextRun: "fails with this error again until it is corrected, and sends nothing.",
};

interface Facts {
  happened: string;
  remedy: string;
  /** More facts from the platform, one line each. */
  told?: readonly string[];
}

/**
 * The base class of all errors. Every error has a stable `code`, and a message of four lines: what happened, what
 * exists now, what the next run will do, and what to do. The message contains no secret and no signed link. Foreign
 * text cannot add a line to it.
 */
export abstract class DocsPlatformError extends Error {
  abstract readonly code: `DOCS_${string}`;
  readonly #facts: Facts;
  readonly #usual: Outcome;
  #outcome: Outcome | undefined;

  constructor(facts: Facts, usual = unknownOutcome) {
    super();
    this.#facts = facts;
    this.#usual = usual;
    Object.defineProperty(this, "message", { get: () => this.#describe(), enumerable: false, configurable: true });
  }

  override get name(): string {
    return this.constructor.name;
  }

  /** The first line of the message, without the code. */
  get happened(): string {
    return printable(this.#facts.happened);
  }

  /** The remedy, as a sentence. */
  get remedy(): string {
    return printable(this.#outcome?.remedy ?? this.#facts.remedy);
  }

  /**
   * Adds the outcome, which only the caller knows. Only the first call counts, since it is the closest to the cause.
   */
  withOutcome(outcome: Outcome): this {
    this.#outcome ??= outcome;
    return this;
  }

  /** Returns the message with this outcome, for a caller that keeps less than the one that has told the outcome. */
  messageWith(outcome: Outcome): string {
    return this.#describe(outcome);
  }

  #describe(outcome = this.#outcome): string {
    const lines = [`${this.code}: ${this.happened.replace(/\.$/, "")}.`];
    lines.push(...(this.#facts.told ?? []).map((text) => `  The platform says ${printable(text)}`));
    const { exists, nextRun, remedy = this.#facts.remedy, paste } = outcome ?? this.#usual;
    lines.push(`  Exists now: ${printable(exists)}`, `  Next run:   ${printable(nextRun)}`);
    lines.push(`  What to do: ${printable(remedy)}`);
    if (paste !== undefined) {
      lines.push(`    ${printable(paste)}`);
    }
    return lines.join("\n");
  }
}

/** A setting is missing or malformed. Nothing was sent. */
export class ConfigurationError extends DocsPlatformError {
  readonly code = "DOCS_CONFIGURATION";
  constructor(problems: readonly string[], remedy = `give the setting, then run \`${words.run}\` again.`) {
    super({ happened: problems.join("; "), remedy }, nothingSent);
  }
}

/** The state was created under another base URL. Its job can be neither read nor dropped at the configured base URL. */
export class OriginError extends DocsPlatformError {
  readonly code = "DOCS_ORIGIN";
  /** @param places where the base URL can be given. */
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

/** A request to the platform failed. */
export abstract class RequestError extends DocsPlatformError {
  /** True if the platform may have acted on the request despite the error. */
  readonly doubtful: boolean = false;
  /**
   * The number of milliseconds after which the platform wants the next request; undefined if the platform does not say
   * it.
   */
  readonly retryAfter: number | undefined;
  /** The HTTP status of the answer; undefined if no answer came. */
  readonly status: number | undefined;
  constructor(facts: RequestFacts) {
    super(facts);
    this.retryAfter = facts.retryAfter;
    this.status = facts.status;
  }
}

export class AuthenticationError extends RequestError {
  readonly code = "DOCS_AUTHENTICATION";
}
export class PermissionError extends RequestError {
  readonly code = "DOCS_PERMISSION";
}
export class NotFoundError extends RequestError {
  readonly code = "DOCS_NOT_FOUND";
}
export class ConflictError extends RequestError {
  readonly code = "DOCS_CONFLICT";
  /** The id of the job that is in the way, if the platform names it. */
  readonly jobId: string | undefined;
  constructor(facts: RequestFacts & { jobId?: string | undefined }) {
    super(facts);
    this.jobId = facts.jobId;
  }
}
export class RateLimitError extends RequestError {
  readonly code = "DOCS_RATE_LIMIT";
}
/** The platform refused the request as invalid (400 and the other 4xx), or redirected it (3xx). */
export class RefusedError extends RequestError {
  readonly code = "DOCS_REFUSED";
}
export class ServerError extends RequestError {
  readonly code = "DOCS_SERVER";
}
/** No answer came: the connection could not be made, or it broke. */
export class ConnectionError extends RequestError {
  readonly code = "DOCS_CONNECTION";
  /**
   * True if a proxy does not let this client through. Nothing was sent, and another attempt would end in the same way.
   */
  readonly final: boolean;
  constructor(facts: Facts & { final?: boolean }) {
    super(facts);
    this.final = facts.final ?? false;
  }
}
/** No answer came within the limit of one request. */
export class TimeoutError extends RequestError {
  readonly code = "DOCS_TIMEOUT";
}
/** A 2xx answer whose body cannot be understood. */
export class ResponseShapeError extends RequestError {
  readonly code = "DOCS_RESPONSE_SHAPE";
  override readonly doubtful: boolean;
  constructor(facts: RequestFacts, doubtful: boolean) {
    super(facts);
    this.doubtful = doubtful;
  }
}
/** A request that must not be repeated was sent, and its answer was lost: the platform may have acted on it. */
export class AmbiguousStartError extends RequestError {
  readonly code = "DOCS_AMBIGUOUS_START";
  override readonly doubtful = true;
}

/** The job ended as `failed`. */
export class JobFailedError extends DocsPlatformError {
  readonly code = "DOCS_JOB_FAILED";
}
/** The wait reached its limit while the job was still running. */
export class WaitTimeoutError extends DocsPlatformError {
  readonly code = "DOCS_WAIT_TIMEOUT";
}
/** The run was cancelled while the job was still running. */
export class InterruptedError extends DocsPlatformError {
  readonly code = "DOCS_INTERRUPTED";
  constructor() {
    super({ happened: "the run was cancelled.", remedy: `run \`${words.run}\` again when you are ready.` });
  }
}
/** The platform returned a link that has already expired. */
export class LinkExpiredError extends DocsPlatformError {
  readonly code = "DOCS_LINK_EXPIRED";
}
/** A link leads to an address to which links of this platform must not lead. Nothing was sent there. */
export class LinkAddressError extends DocsPlatformError {
  readonly code = "DOCS_LINK_ADDRESS";
}
/** The storage refuses a link that was just minted. */
export class LinkRefusedError extends DocsPlatformError {
  readonly code = "DOCS_LINK_REFUSED";
}
/** The archive of a bundle is damaged, or contains files that must not be unpacked. Nothing from it was published. */
export class ArchiveError extends DocsPlatformError {
  readonly code = "DOCS_ARCHIVE";
}
/** The archive could not be downloaded from the address of the link. */
export class DownloadError extends DocsPlatformError {
  readonly code = "DOCS_DOWNLOAD";
}
/** The bytes of a bundle do not have the checksum that the program pins. */
export class ChecksumError extends DocsPlatformError {
  readonly code = "DOCS_CHECKSUM";
}
/** A mirror's destination cannot be written or read. */
export class DestinationError extends DocsPlatformError {
  readonly code = "DOCS_DESTINATION";
}
/** A start cannot be recorded, or the record contradicts the state. */
export class JournalError extends DocsPlatformError {
  readonly code = "DOCS_JOURNAL";
}
/** The job to adopt is not the job that the program means. */
export class AdoptionError extends DocsPlatformError {
  readonly code = "DOCS_ADOPTION";
}
/** A fault of this provider itself. */
export class InternalError extends DocsPlatformError {
  readonly code = "DOCS_INTERNAL";
  constructor(cause: unknown) {
    super({
      happened: `the provider has a fault: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: `report it with this text; then run \`${words.run}\` again.`,
    });
  }
}

const transientKinds = [RateLimitError, ServerError, ConnectionError, TimeoutError, ResponseShapeError];

/**
 * Returns true for a fault that may pass by itself: no answer, an answer from something in between (such as the page of
 * a gateway), too many requests (429), or a fault of the platform (408 and 5xx).
 */
export function isTransient(error: unknown): error is RequestError {
  return transientKinds.some((kind) => error instanceof kind) && !(error instanceof ConnectionError && error.final);
}

export function asDocsPlatformError(error: unknown): DocsPlatformError {
  return error instanceof DocsPlatformError ? error : new InternalError(error);
}
