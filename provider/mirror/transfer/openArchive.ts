import { ArchiveError, ChecksumError } from "../../support/errors";
import type { Clock } from "../../support/time/clock";
import { words } from "../../support/words";
import { quoteForMessage } from "../archive/archiveError";
import { type ArchiveFormat, detectFormat, formatDetectionBytes } from "../archive/format";
import { requireNonEmptyArchive } from "../archive/requireNonEmptyArchive";
import { type ContentHashAndSize, measureContent, readFirstBytes } from "./measureContent";
import type { ResumableDownload } from "./resumableDownload";
import { createProgressReporter } from "./transferProgress";

export interface BundleSource {
  jobId: string;
  expectedSha256: string | undefined;
  download: Pick<ResumableDownload, "open">;
  clock: Clock;
  status(text: string): void;
  warn(text: string): void;
  info(text: string): void;
}

export interface IncomingArchive {
  format: ArchiveFormat;
  expectedBytes: number | undefined;
  /**
   * A second call transfers the archive again. After the last chunk, the method throws if the archive contains no file,
   * or has another sha256 than expected. Otherwise, it calls `onWhole`.
   */
  content(onWhole: (measure: ContentHashAndSize) => Promise<void> | void): AsyncGenerator<Buffer>;
}

/** @throws ArchiveError if the bundle is empty or has an unknown format. It also throws the errors of the download. */
export async function openArchive({
  jobId,
  expectedSha256,
  download,
  clock,
  status,
}: BundleSource): Promise<IncomingArchive> {
  const { expectedBytes, chunks } = await download.open();
  const { first, all } = await readFirstBytes(chunks, formatDetectionBytes);
  const format = detectFormat(first);
  if (format === undefined) {
    throw noArchive(jobId, first);
  }
  const title = `mirroring job ${jobId}`;
  let unread: AsyncGenerator<Buffer> | undefined = all;
  async function* transferred(): AsyncGenerator<Buffer> {
    const begun = unread;
    unread = undefined;
    yield* begun ?? (await download.open()).chunks;
  }
  return {
    format,
    expectedBytes,
    content(onWhole) {
      const verified = async (measure: ContentHashAndSize) => {
        requireExpectedSha256(jobId, expectedSha256, measure);
        await onWhole(measure);
      };
      const progress = createProgressReporter(title, expectedBytes, () => clock.monotonic(), status);
      return measureContent(requireNonEmptyArchive(transferred(), format), verified, progress);
    },
  };
}

function noArchive(jobId: string, first: Buffer): ArchiveError {
  return new ArchiveError({
    happened:
      first.length === 0
        ? `the bundle of job ${jobId} is empty`
        : `the bundle of job ${jobId} is not a .tar.gz, .tar, .tar.zst or .zip archive: it begins with ${quoteForMessage(first.subarray(0, 16).toString("latin1"))}`,
    remedy: "run a new export, or tell the platform's operator.",
  });
}

function requireExpectedSha256(jobId: string, expected: string | undefined, { sha256 }: ContentHashAndSize): void {
  if (expected !== undefined && expected.toLowerCase() !== sha256) {
    throw new ChecksumError({
      happened: `the bundle of job ${jobId} has the sha256 ${sha256}, but ${words.name("expectedSha256")} is ${expected.toLowerCase()}`,
      remedy: `find out which of the two is right, then change ${words.name("expectedSha256")} or the job. Do not trust these bytes until then.`,
    });
  }
}
