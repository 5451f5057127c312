import { join } from "node:path";
import { describeSettingPlaces, journal as journalSetting } from "../settings/settingTable";
import {
  destinationSchemes,
  explainUnusableDestination,
  type ObjectDestination,
  parseDestination,
} from "../storage/destination";
import { words } from "../support/words";
import { FolderJournal } from "./folderJournal";
import { type Journal, UnusableJournalError } from "./journal";
import { ObjectJournal } from "./objectJournal";

const journals = new Map<string, Journal>();

export function defaultJournalFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const home = words.home(environment);
  return home === undefined ? undefined : join(home, "docs-platform");
}

/** If the place cannot be opened, the journal fails at its first use: a run that starts nothing needs no journal. */
export function openJournal(place = defaultJournalFolder(process.env)): Journal {
  if (place === undefined) {
    return failingJournal("the home folder", "the home folder of this user is not known");
  }
  const known = journals.get(place);
  if (known) {
    return known;
  }
  const destination = parsePlace(place);
  if (destination !== undefined && "problem" in destination) {
    return failingJournal(place, `the setting journal ${destination.problem}`);
  }
  const journal = destination === undefined ? new FolderJournal(place) : new ObjectJournal(place, destination);
  journals.set(place, journal);
  return journal;
}

function failingJournal(place: string, problem: string): Journal {
  const fail = async () => {
    throw new UnusableJournalError(problem, `name a folder in ${describeSettingPlaces(journalSetting)}.`);
  };
  return { place, isRemote: false, list: fail, read: fail, write: fail, remove: fail };
}

/** Returns undefined for a suitable place. Sends no request. */
export function journalPlaceProblem(place: string | undefined): string | undefined {
  const destination = place === undefined ? undefined : parsePlace(place);
  const problem =
    destination === undefined
      ? undefined
      : "problem" in destination
        ? destination.problem
        : explainUnusableDestination(destination);
  return problem === undefined ? undefined : `the setting journal ${problem}`;
}

const examples = Object.values(destinationSchemes)
  .filter(({ holds }) => holds === "objects")
  .map(({ example }) => example)
  .join(", or ");

function parsePlace(place: string): ObjectDestination | { problem: string } | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return undefined;
  }
  const destination = parseDestination(place);
  if (Object.hasOwn(destinationSchemes, scheme) && "problem" in destination) {
    return destination;
  }
  return isObjectDestination(destination)
    ? destination
    : { problem: `has the unknown scheme ${scheme}: give a folder, or ${examples}` };
}

function isObjectDestination(destination: ReturnType<typeof parseDestination>): destination is ObjectDestination {
  return "kind" in destination && destinationSchemes[destination.kind].holds === "objects";
}
