import type { Agent, Dispatcher } from "undici";
import { explainConnectionFault } from "../../network/connectionFault";
import { openDispatcher } from "../../network/dispatcher";
import type { Settings } from "../../settings/settings";
import { DocsPlatformError, DownloadError, isTransient, RunCancelledError } from "../../support/errors";
import { calculateBackoffDelay, delays } from "../../support/time/delays";
import { pauseOrGiveUp, type RetryRule } from "../../support/time/retry";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import { discardBody } from "./fetchFromLink";
import { BusyStorageError, downloadStatusError, PresignedLink, type PresignedLinkDependencies } from "./presignedLink";

export interface DownloadOptions extends PresignedLinkDependencies {
  network: Pick<Settings, "origin" | "tls">;
  /** The longest time without data from the storage, in milliseconds. */
  timeout: number;
  limit: PresignedLinkDependencies["limit"] & {
    size: { name: string; bytes: number };
  };
  random: () => number;
}

interface OpenedArchive {
  expectedBytes: number | undefined;
  chunks: AsyncGenerator<Buffer>;
}

const maxRetries = 3;

const bytesThatResetRetries = 8 * 1024 ** 2;

/**
 * After a fault of the network or of the storage, a request is repeated up to three times. A broken transfer is resumed
 * if the storage confirms by a strong ETag that the file is unchanged.
 */
export class ResumableDownload {
  readonly #agent: Agent;
  readonly #retryRule: RetryRule;
  readonly #link: PresignedLink;
  #retries = 0;
  #offset = 0;
  #offsetAtFault = 0;

  constructor(private readonly parts: DownloadOptions) {
    const { timeout, limit, network, clock, signal } = parts;
    this.#retryRule = { pauseAfter: (fault) => this.#pauseAfter(fault), clock, signal };
    const silence = Math.max(1, Math.min(timeout, limit.wait.deadline.left));
    const limits = { headersTimeout: silence, bodyTimeout: silence };
    this.#agent = openDispatcher(network, Math.min(timeLimits.connect, silence), limits);
    this.#link = new PresignedLink(parts, this.#agent, this.#retryRule);
  }

  async open(): Promise<OpenedArchive> {
    const response = await this.#link.request({});
    if (response.statusCode !== 200) {
      discardBody(response);
      throw downloadStatusError(response.statusCode);
    }
    try {
      const expectedBytes = this.#sizeOf(response);
      this.#requireWithinLimit(expectedBytes ?? 0);
      return { expectedBytes, chunks: this.#read(response, expectedBytes) };
    } catch (error) {
      discardBody(response);
      throw error;
    }
  }

  /**
   * The storage's answer takes precedence over the platform's answer. Returns undefined if only the end of a chunked
   * answer shows the size.
   * @throws DownloadError if the two answers give different sizes, or if nothing would show that an archive is
   * incomplete.
   */
  #sizeOf({ headers }: Dispatcher.ResponseData): number | undefined {
    const { "content-length": length, "transfer-encoding": chunked, "content-encoding": encoding } = headers;
    // `sizeBytes` is the size of the archive itself. If the storage compresses its answer, `content-length` is the
    // compressed size, so the two sizes are not comparable.
    const named = encoding === undefined ? this.#link.sizeBytes : undefined;
    if (length === undefined && chunked === undefined && named === undefined) {
      throw new DownloadError({
        happened: "the storage does not send the length of the archive, so an incomplete archive would look complete",
        remedy: "tell the platform's operator that its storage, or a proxy in front of it, sends no Content-Length.",
      });
    }
    if (length !== undefined && named !== undefined && Number(length) !== named) {
      throw new DownloadError({
        happened: `the archive has ${length} bytes, but the platform says that it has ${named}`,
        remedy: `run \`${words.run}\` again. If this error comes again, tell the platform's operator: the archive is incomplete, or was replaced.`,
      });
    }
    return length === undefined ? named : Number(length);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async *#read(first: Dispatcher.ResponseData, expectedBytes: number | undefined): AsyncGenerator<Buffer> {
    const { etag } = first.headers;
    let { body } = first;
    for (let offset = 0; ; ) {
      let fault: unknown;
      try {
        for await (const chunk of body) {
          offset += chunk.length;
          this.#requireWithinLimit(offset);
          this.#offset = offset;
          this.#link.hasDelivered();
          yield chunk;
        }
        if (expectedBytes === undefined || offset === expectedBytes) {
          return;
        }
        fault = new Error(`the archive was cut short after ${offset} of ${expectedBytes} bytes`);
      } catch (error) {
        fault = error;
      }
      await pauseOrGiveUp(fault, this.#retries, this.#retryRule);
      body = (await this.#rest(offset, expectedBytes, etag)) ?? this.#giveUp(offset, fault);
    }
  }

  /** @returns undefined if the storage does not confirm that the file is the same. */
  async #rest(
    offset: number,
    expectedBytes: number | undefined,
    etag: string | string[] | undefined,
  ): Promise<Dispatcher.ResponseData["body"] | undefined> {
    // Only a strong ETag proves that the bytes are the same: two different files may have the same weak ETag.
    if (expectedBytes === undefined || typeof etag !== "string" || !etag.startsWith('"')) {
      return undefined;
    }
    const response = await this.#link.request({ range: `bytes=${offset}-`, "if-range": etag });
    const { statusCode, headers } = response;
    const wanted = `bytes ${offset}-${expectedBytes - 1}/${expectedBytes}`;
    if (statusCode === 206 && headers["content-range"] === wanted && (headers.etag ?? etag) === etag) {
      return response.body;
    }
    discardBody(response);
    return undefined;
  }

  #giveUp(offset: number, fault: unknown): never {
    // A timer of the HTTP library may break the transfer just before the time limit of the wait. The limit may have
    // passed by now. The user then gets the error of the limit.
    this.#requireWithinLimit(offset);
    throw new DownloadError({
      happened: `the transfer of the archive broke after ${offset} bytes (${explainConnectionFault(fault).why}), and the storage cannot continue it`,
      remedy: `run \`${words.run}\` again.`,
    });
  }

  /** @throws if no further attempt is allowed. */
  #pauseAfter(fault: unknown): number {
    if (this.parts.signal.aborted) {
      throw new RunCancelledError();
    }
    if (fault instanceof DocsPlatformError && !isTransient(fault)) {
      throw fault;
    }
    this.#requireWithinLimit(0);
    if (this.#offset >= this.#offsetAtFault + bytesThatResetRetries) {
      this.#retries = 0;
    }
    this.#offsetAtFault = this.#offset;
    const asked = fault instanceof BusyStorageError ? fault.retryAfter : undefined;
    if (asked !== undefined && this.parts.limit.wait.deadline.allows(asked)) {
      return Math.max(asked, delays.transfer.first);
    }
    const { why, remedy, isFinal } = explainConnectionFault(fault);
    if (asked !== undefined || this.#retries >= maxRetries || isFinal) {
      if (fault instanceof DocsPlatformError) {
        throw fault;
      }
      throw new DownloadError({
        happened: `the archive could not be downloaded, after ${this.#retries} retries: ${why}`,
        remedy: `${remedy ?? "check the network between this machine and the platform's storage"}, then run \`${words.run}\` again.`,
      });
    }
    return calculateBackoffDelay(delays.transfer, this.#retries++) * (0.5 + this.parts.random() / 2);
  }

  #requireWithinLimit(bytes: number): void {
    const { size, wait } = this.parts.limit;
    if (bytes > size.bytes) {
      throw new DownloadError({
        happened: `the archive is larger than ${size.name} (${size.bytes} bytes)`,
        remedy: `if this size is right, set a larger \`${size.name}\`; if not, tell the platform's operator.`,
      });
    }
    if (wait.deadline.hasPassed) {
      throw new DownloadError({
        happened: `the download of the archive took longer than ${wait.name} (${wait.time})`,
        remedy: `set a longer \`${wait.name}\`, or find out why the transfer is slow; then run \`${words.run}\` again.`,
      });
    }
  }
}
