import { ArchiveError, DocsPlatformError } from "../../support/errors";

const shownCharacters = 80;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Returns the error for an archive that is refused. */
export function archiveError(happened: string): ArchiveError {
  return new ArchiveError({
    happened,
    remedy:
      'start a new export. If its archive is refused too, tell the operator of the platform; layout "archive" stores an archive without unpacking it.',
  });
}

/**
 * Returns a text from an archive or a destination in a form that an error may show: quoted, one line, printable, at
 * most 80 characters.
 */
export function quoted(text: string): string {
  const cut = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return JSON.stringify(cut).replace(
    unprintable,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * Converts an error from reading an archive. Errors of the disk and of this program stay as they are. Any other error
 * becomes an error of the archive.
 */
export function asArchiveError(error: unknown): unknown {
  const others = [DocsPlatformError, TypeError, ReferenceError];
  if (!(error instanceof Error) || "syscall" in error || others.some((other) => error instanceof other)) {
    return error;
  }
  const cutShort = "code" in error && error.code === "Z_BUF_ERROR";
  return archiveError(cutShort ? "the archive is cut short" : `the archive is damaged: ${quoted(error.message)}`);
}
