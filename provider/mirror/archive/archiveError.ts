import { ArchiveError, DocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";

export function archiveError(happened: string): ArchiveError {
  return new ArchiveError({
    happened,
    remedy:
      'start a new export. If its archive is refused too, tell the operator of the platform; layout "archive" stores an archive without unpacking it.',
  });
}

export function quoteForMessage(text: string, characters = 80): string {
  return JSON.stringify(printable(text, characters));
}

export function asArchiveError(error: unknown): unknown {
  const others = [DocsPlatformError, TypeError, ReferenceError];
  if (!(error instanceof Error) || "syscall" in error || others.some((other) => error instanceof other)) {
    return error;
  }
  const cutShort = "code" in error && error.code === "Z_BUF_ERROR";
  return archiveError(
    cutShort ? "the archive is cut short" : `the archive cannot be read: ${quoteForMessage(error.message)}`,
  );
}
