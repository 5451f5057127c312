import { Agent, type Dispatcher } from "undici";
import { describeFault, faultRemedy } from "../../network/connectionFault";
import { createConnector } from "../../network/connector";
import type { LinkRule } from "../../network/linkAddress";
import type { Settings } from "../../settings/settings";
import { interruptibleRest } from "../../support/abort";
import {
  DocsPlatformError,
  DownloadError,
  InterruptedError,
  isTransient,
  LinkRefusedError,
} from "../../support/errors";
import type { Clock } from "../../support/time/clock";
import type { Deadline } from "../../support/time/deadline";
import { backoff, rests } from "../../support/time/rests";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import { discardBody, requestLink } from "./linkRequest";

/** The dependencies of a download. */
export interface DownloadParts {
  /** Creates a new link to the archive. */
  mint(): Promise<string>;
  /** The addresses that links may lead to. */
  rule: LinkRule;
  /** The settings for connections to the storage. */
  network: Pick<Settings, "origin" | "tls">;
  /** The longest time without data from the storage, in milliseconds. */
  timeout: number;
  limit: TransferLimit;
  clock: Clock;
  /** A random number from 0 to below 1. */
  random: () => number;
  signal: AbortSignal;
}

/** The limits of a transfer, each with the name by which the user sets it. */
export interface TransferLimit {
  size: { name: string; bytes: number };
  /** The time limit, and its time as the user wrote it. */
  wait: { name: string; time: string; deadline: Deadline };
}

/** An archive whose transfer has started. */
export interface OpenedArchive {
  expectedBytes: number | undefined;
  /**
   * The content, which can be read once. Throws {@link RestartRequiredError} if the transfer breaks and cannot be
   * resumed.
   */
  chunks: AsyncGenerator<Buffer>;
}

/** A bundle on its way from the platform's storage. */
export interface BundleDownload {
  /** Starts the transfer from the first byte. */
  open(): Promise<OpenedArchive>;
  close(): Promise<void>;
}

export function openDownload(parts: DownloadParts): BundleDownload {
  return new Download(parts);
}

/** The transfer broke and cannot be resumed. The caller opens the archive again, and reads it from the start. */
export class RestartRequiredError extends Error {}

const maxRetries = 3;

/** The number of bytes after which the count of retries starts again. */
const bytesThatResetRetries = 8 * 1024 ** 2;

/** The statuses with which a storage refuses an expired link, or a link whose credentials have expired. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 410]);

/**
 * Downloads the archive behind a presigned link. A refused link is replaced once by a new link. Errors of the network
 * and of the storage are retried three times. A broken transfer is resumed if the storage supports this and confirms
 * that the file is unchanged.
 */
export class Download implements BundleDownload {
  readonly #parts: DownloadParts;
  readonly #agent: Agent;
  #link: string | undefined;
  #linkReplaced = false;
  #retries = 0;
  #maxOffset = 0;
  #maxOffsetAtFault = 0;
  /** The answer to a range request if the storage has sent the whole file instead. */
  #responseFromStart: Dispatcher.ResponseData | undefined;

  constructor(parts: DownloadParts) {
    this.#parts = parts;
    const { timeout, limit, network } = parts;
    const silence = Math.max(1, Math.min(timeout, limit.wait.deadline.left));
    this.#agent = new Agent({
      connect: createConnector(network, Math.min(timeLimits.connect, silence)),
      headersTimeout: silence,
      bodyTimeout: silence,
    });
  }

  async open(): Promise<OpenedArchive> {
    const response = this.#responseFromStart ?? (await this.#request({}));
    this.#responseFromStart = undefined;
    if (response.statusCode !== 200) {
      discardBody(response);
      throw this.#statusError(response.statusCode);
    }
    const { "content-length": length, "transfer-encoding": encoding } = response.headers;
    if (length === undefined && encoding === undefined) {
      discardBody(response);
      throw new DownloadError({
        happened: "the storage does not tell the length of the archive, so an incomplete archive would look complete",
        remedy: "tell the platform's operator that its storage, or a proxy in front of it, sends no Content-Length.",
      });
    }
    const expectedBytes = length === undefined ? undefined : Number(length);
    try {
      this.#requireWithinLimit(expectedBytes ?? 0);
    } catch (error) {
      discardBody(response);
      throw error;
    }
    return { expectedBytes, chunks: this.#read(response, expectedBytes) };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async *#read(first: Dispatcher.ResponseData, expectedBytes: number | undefined): AsyncGenerator<Buffer> {
    const validator = validatorOf(first);
    let { body } = first;
    for (let offset = 0; ; ) {
      let fault: unknown;
      try {
        for await (const chunk of body) {
          offset += chunk.length;
          this.#requireWithinLimit(offset);
          this.#maxOffset = Math.max(this.#maxOffset, offset);
          // A link that has delivered data was valid, so it may be replaced again when it expires.
          this.#linkReplaced = false;
          yield chunk;
        }
        if (expectedBytes === undefined || offset === expectedBytes) {
          return;
        }
        fault = `the archive was cut short after ${offset} of ${expectedBytes} bytes`;
      } catch (error) {
        fault = error;
      }
      await this.#backOff(fault);
      body = await this.#resume(offset, expectedBytes, validator);
    }
  }

  /** Requests the rest of the same file, from an offset on. */
  async #resume(
    offset: number,
    expectedBytes: number | undefined,
    validator: string | undefined,
  ): Promise<Dispatcher.ResponseData["body"]> {
    if (validator === undefined || expectedBytes === undefined) {
      throw new RestartRequiredError();
    }
    const response = await this.#request({ range: `bytes=${offset}-`, "if-range": validator });
    const { statusCode, headers } = response;
    const wanted = `bytes ${offset}-${expectedBytes - 1}/${expectedBytes}`;
    const same = (headers.etag ?? validator) === validator || !validator.startsWith('"');
    if (statusCode === 206 && headers["content-range"] === wanted && same) {
      return response.body;
    }
    if (statusCode === 200) {
      this.#responseFromStart = response;
    } else {
      discardBody(response);
    }
    throw new RestartRequiredError();
  }

  /**
   * Repeats the request until an answer is about the archive itself, and not about the link or a fault of the storage.
   */
  async #request(headers: Record<string, string>): Promise<Dispatcher.ResponseData> {
    const { rule, signal } = this.#parts;
    for (;;) {
      this.#link ??= await this.#parts.mint();
      let response: Dispatcher.ResponseData;
      try {
        response = await requestLink(this.#agent, { link: this.#link, headers, rule, signal });
      } catch (error) {
        await this.#backOff(error);
        continue;
      }
      const { statusCode } = response;
      if ([200, 206, 416].includes(statusCode)) {
        return response;
      }
      discardBody(response);
      if (refusedStatuses.has(statusCode)) {
        this.#dropLink(statusCode);
      } else if (statusCode >= 500 || statusCode === 408 || statusCode === 429) {
        await this.#backOff(`the storage answers HTTP ${statusCode}`);
      } else {
        throw this.#statusError(statusCode);
      }
    }
  }

  #dropLink(status: number): void {
    if (this.#linkReplaced) {
      throw new LinkRefusedError({
        happened: `the storage refused two links in a row to the archive (HTTP ${status}), and the second link was new`,
        remedy: "tell the platform's operator: the credentials that sign its links, or its clock, are wrong.",
      });
    }
    this.#linkReplaced = true;
    this.#link = undefined;
  }

  /** Waits before the next attempt. @throws an error if no further attempt is allowed. */
  async #backOff(fault: unknown): Promise<void> {
    const { clock, random, signal } = this.#parts;
    if (signal.aborted) {
      throw new InterruptedError();
    }
    if (fault instanceof DocsPlatformError && !isTransient(fault)) {
      throw fault;
    }
    this.#requireWithinLimit(0);
    if (this.#maxOffset >= this.#maxOffsetAtFault + bytesThatResetRetries) {
      this.#retries = 0;
    }
    this.#maxOffsetAtFault = this.#maxOffset;
    if (this.#retries >= maxRetries) {
      if (fault instanceof DocsPlatformError) {
        throw fault;
      }
      throw new DownloadError({
        happened: `the archive could not be downloaded, even after ${maxRetries} retries: ${typeof fault === "string" ? fault : describeFault(fault)}`,
        remedy: `${faultRemedy(fault) ?? "check the network between this machine and the platform's storage"}, then run \`${words.run}\` again.`,
      });
    }
    const bound = backoff(rests.transfer, this.#retries);
    this.#retries++;
    await interruptibleRest(clock.sleep(bound * (0.5 + random() / 2), signal));
  }

  /**
   * Checks the size limit and the time limit.
   * @param bytes the number of received or expected bytes.
   */
  #requireWithinLimit(bytes: number): void {
    const { size, wait } = this.#parts.limit;
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

  #statusError(status: number): DownloadError {
    return new DownloadError({
      happened: `the storage does not deliver the archive: it answers HTTP ${status}`,
      remedy: "the platform's link does not work: run a new export, or tell the platform's operator.",
    });
  }
}

/** Returns a value that identifies a version of a file: a strong ETag, else the time of the last change. */
function validatorOf({ headers }: Dispatcher.ResponseData): string | undefined {
  const { etag, "last-modified": lastModified } = headers;
  if (typeof etag === "string" && etag.startsWith('"')) {
    return etag;
  }
  return typeof lastModified === "string" ? lastModified : undefined;
}
