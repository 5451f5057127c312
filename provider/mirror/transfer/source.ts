import { ArchiveError, ChecksumError } from "../../support/errors";
import type { Clock } from "../../support/time/clock";
import { words } from "../../support/words";
import { quoted } from "../archive/error";
import { type ArchiveFormat, type BundleFormat, detectFormat, formatBytes, looksLikeText } from "../archive/format";
import { type BundleDownload, RestartRequiredError } from "./download";
import { type Measure, measured, peek } from "./measure";
import { transferProgress } from "./transferProgress";

/** The archive to mirror, and the requirements for it. */
export interface Source {
  jobId: string;
  expectedSha256: string | undefined;
  download: Pick<BundleDownload, "open">;
  clock: Clock;
  /** True if a site may be published into a place that already contains files of others. */
  allowExisting: boolean;
  status(text: string): void;
  warn(text: string): void;
  /** Shows a permanent line that asks for no action. */
  info(text: string): void;
}

/** An archive whose transfer has started. */
export interface IncomingArchive {
  format: BundleFormat;
  first: Buffer;
  expectedBytes: number | undefined;
  /**
   * Returns all chunks, which can be read once. After the last chunk, the size and the expected sha256 are checked,
   * then `onWhole` is called. Throws if a check fails.
   */
  content(onWhole: (measure: Measure) => Promise<void> | void): AsyncGenerator<Buffer>;
}

/**
 * Passes an incoming archive to a sink. If the transfer breaks and cannot be resumed, passes the archive again from the
 * start.
 * @throws ChecksumError, ArchiveError, and the errors of the download and of the sink.
 */
export async function withIncomingArchive<T>(
  source: Source,
  sink: (arrival: IncomingArchive) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await sink(await open(source));
    } catch (error) {
      if (!(error instanceof RestartRequiredError)) {
        throw error;
      }
    }
  }
}

async function open({ jobId, expectedSha256, download, clock, status }: Source): Promise<IncomingArchive> {
  const { expectedBytes, chunks } = await download.open();
  const { first, all } = await peek(chunks, formatBytes);
  const format = detectFormat(first) ?? "bin";
  if (format === "bin" && looksLikeText(first)) {
    throw noArchive(jobId, first);
  }
  const title = `mirroring job ${jobId}`;
  return {
    format,
    first,
    expectedBytes,
    content: (onWhole) =>
      measured(all, {
        onBytes: transferProgress({ title, expectedBytes, now: () => clock.now(), show: status }),
        async onWhole(measure) {
          requireExpectedSha256(jobId, expectedSha256, measure);
          await onWhole(measure);
        },
      }),
  };
}

/**
 * Returns the format of an archive that is to be unpacked.
 * @throws ArchiveError if the archive cannot be unpacked. Nothing is transferred before this check.
 */
export function unpackableFormat({ jobId }: Source, { format, first }: IncomingArchive): ArchiveFormat {
  if (format === "bin") {
    throw new ArchiveError({
      happened: `the bundle of job ${jobId} is not a .tar file (plain, or compressed as .gz, .zst or .xz) and not a .zip file, so it cannot be unpacked: it ${beginning(first)}`,
      remedy:
        'use layout "archive", which keeps a bundle as it is, or ask the platform\'s operator for another format.',
    });
  }
  return format;
}

/** Creates the error for an empty bundle, or for a text such as a sign-in page, which must not be published. */
function noArchive(jobId: string, first: Buffer): ArchiveError {
  return new ArchiveError({
    happened:
      first.length === 0
        ? `the bundle of job ${jobId} is empty`
        : `the bundle of job ${jobId} is a text, not an archive: it ${beginning(first)}`,
    remedy: "run a new export, or tell the platform's operator.",
  });
}

function beginning(first: Buffer): string {
  return `begins with ${quoted(first.subarray(0, 16).toString("latin1"))}`;
}

function requireExpectedSha256(jobId: string, expected: string | undefined, { sha256 }: Measure): void {
  if (expected !== undefined && expected.toLowerCase() !== sha256) {
    throw new ChecksumError({
      happened: `the bundle of job ${jobId} has the sha256 ${sha256}, but ${words.name("expectedSha256")} is ${expected.toLowerCase()}`,
      remedy: `find out which of the two is right, then change ${words.name("expectedSha256")} or the job. Do not trust these bytes until then.`,
    });
  }
}
