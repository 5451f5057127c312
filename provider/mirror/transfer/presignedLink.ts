import type { Dispatcher } from "undici";
import type { LinkAddressPolicy } from "../../network/linkAddress";
import { decideRetry } from "../../storage/attempt";
import { awaitPauseOrCancellation } from "../../support/abort";
import { DownloadError, StorageRefusedLinkError } from "../../support/errors";
import type { Clock } from "../../support/time/clock";
import { Deadline } from "../../support/time/deadline";
import { stalePlatformAnswerRetries } from "../../support/time/delays";
import { type RetryRule, retry } from "../../support/time/retry";
import { discardBody, fetchFromLink } from "./fetchFromLink";

interface ArchiveLink {
  bundleUrl: string;
  sizeBytes?: number | undefined;
}

export interface PresignedLinkDependencies {
  mint(): Promise<ArchiveLink>;
  rule: LinkAddressPolicy;
  limit: { wait: { name: string; time: string; deadline: Deadline } };
  clock: Clock;
  signal: AbortSignal;
}

export class BusyStorageError extends Error {
  constructor(
    status: number,
    /** In milliseconds. Undefined if the storage asks for no pause. */
    readonly retryAfter: number | undefined,
  ) {
    super(`the storage answers HTTP ${status}`);
  }
}

const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 410]);

const acceptedStatuses: ReadonlySet<number> = new Set([200, 206, 416]);

const unknownStatuses: ReadonlySet<number> = new Set([403, 404]);

/**
 * If the storage refuses the link, the client requests a new link once. If the storage does not know the new link yet,
 * the client tries the new link again for a while.
 */
export class PresignedLink {
  #link: ArchiveLink | undefined;
  #isReplaced = false;
  /** Until this time, the storage may not know the new link. Undefined after the storage has accepted the link. */
  #unknownUntil: Deadline | undefined;

  constructor(
    private readonly parts: PresignedLinkDependencies,
    private readonly dispatcher: Dispatcher,
    private readonly retryRule: RetryRule,
  ) {}

  /** A later refusal means that the link has expired, so the client may request a new link again. */
  hasDelivered(): void {
    this.#isReplaced = false;
  }

  get sizeBytes(): number | undefined {
    return this.#link?.sizeBytes;
  }

  async request(headers: Record<string, string>): Promise<Dispatcher.ResponseData> {
    for (;;) {
      const { bundleUrl } = this.#link ?? (await this.#mint());
      const response = await retry(() => this.#try(bundleUrl, headers), this.retryRule);
      const { statusCode } = response;
      if (acceptedStatuses.has(statusCode)) {
        this.#unknownUntil = undefined;
        return response;
      }
      discardBody(response);
      const { clock, signal } = this.parts;
      if (unknownStatuses.has(statusCode) && this.#unknownUntil?.allows(stalePlatformAnswerRetries.link.pause)) {
        await awaitPauseOrCancellation(clock.sleep(stalePlatformAnswerRetries.link.pause, signal));
      } else if (refusedStatuses.has(statusCode)) {
        this.#drop(statusCode);
      } else {
        throw downloadStatusError(statusCode);
      }
    }
  }

  async #mint(): Promise<ArchiveLink> {
    const { mint, limit, clock } = this.parts;
    this.#link = await mint();
    this.#unknownUntil = Deadline.in(Math.min(stalePlatformAnswerRetries.link.time, limit.wait.deadline.left), clock);
    return this.#link;
  }

  /** @throws BusyStorageError for a temporary fault of the storage. */
  async #try(link: string, headers: Record<string, string>): Promise<Dispatcher.ResponseData> {
    const { rule, signal } = this.parts;
    const response = await fetchFromLink(this.dispatcher, { link, headers, rule, signal });
    const { statusCode } = response;
    const next = decideRetry(statusCode, (name) => [response.headers[name]].flat()[0]);
    if (next.mayPass) {
      discardBody(response);
      throw new BusyStorageError(statusCode, next.retryAfter);
    }
    return response;
  }

  #drop(status: number): void {
    if (this.#isReplaced) {
      throw new StorageRefusedLinkError({
        happened: `the storage refused two links in a row to the archive (HTTP ${status}), and the second link was new`,
        remedy: "tell the platform's operator: the credentials that sign its links, or its clock, are wrong.",
      });
    }
    this.#isReplaced = true;
    this.#link = undefined;
  }
}

export function downloadStatusError(status: number): DownloadError {
  return new DownloadError({
    happened: `the storage does not deliver the archive: it answers HTTP ${status}`,
    remedy: "the platform's link does not work: run a new export, or tell the platform's operator.",
  });
}
