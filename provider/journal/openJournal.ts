import { join } from "node:path";
import type { JournalSettings } from "../settings/settings";
import { parseDestination, type S3Destination } from "../storage/destination";
import { missingS3Sdk } from "../storage/s3/sdk";
import { words } from "../support/words";
import { FolderJournal } from "./folderJournal";
import type { Journal } from "./journal";
import { S3Journal } from "./s3Journal";

const journals = new Map<string, Journal>();

/** The place of the journal unless another one is set: `docs-platform/` in the folder that the host's engine has at home. */
export function defaultFolder(environment: NodeJS.ProcessEnv): string {
  return join(words.home(environment), "docs-platform");
}

/**
 * The journal of a place. A process has one for each place.
 * @param place a folder, or `s3://bucket/prefix?region=…&endpoint=…`.
 * @throws where {@link journalProblem} would return a problem.
 */
export function openJournal(place = defaultFolder(process.env)): Journal {
  const known = journals.get(place);
  if (known) {
    return known;
  }
  const destination = parsePlace(place);
  if (destination !== undefined && "problem" in destination) {
    throw new Error(destination.problem);
  }
  const journal = destination === undefined ? new FolderJournal(place) : new S3Journal(place, destination);
  journals.set(place, journal);
  return journal;
}

/** Why a journal cannot be kept at this place; undefined where it can. It sends no request to the place. */
export function journalProblem({ place }: JournalSettings): string | undefined {
  const destination = place === undefined ? undefined : parsePlace(place);
  const problem =
    destination === undefined ? undefined : "problem" in destination ? destination.problem : missingSdkProblem();
  return problem === undefined ? undefined : `the setting journal ${problem}`;
}

function missingSdkProblem(): string | undefined {
  const lacking = missingS3Sdk();
  return lacking === undefined ? undefined : `names a bucket, which ${lacking}`;
}

/** @returns undefined for a folder. */
function parsePlace(place: string): S3Destination | { problem: string } | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return undefined;
  }
  const destination = scheme === "s3" ? parseDestination(place) : undefined;
  if (destination !== undefined && "problem" in destination) {
    return destination;
  }
  return destination?.kind === "s3"
    ? destination
    : { problem: `has the scheme ${scheme}: give a folder, or s3://bucket/prefix?region=…&endpoint=…` };
}
