import { journalProblem } from "../journal/openJournal";
import { proxyProblem } from "../network/proxy";
import { missingKeyWarning } from "../settings/apiKeySource";
import type { GivenSettings } from "../settings/settings";
import { words } from "../support/words";
import type { Session } from "./session";

/** Returns every problem of the settings, and of what they name, that can be found without a request. */
export function settingProblems({ problems, values, environment }: GivenSettings): readonly string[] {
  const ofPlaces = [
    journalProblem(values.journal),
    values.baseUrl === undefined ? undefined : proxyProblem(values.baseUrl, environment),
  ];
  return [...problems, ...ofPlaces.filter((problem) => problem !== undefined)];
}

/**
 * Warns once per process that the key is missing. A preview does not need it.
 * @returns true if it is missing.
 */
export function warnOfMissingKey({ lacksKey }: GivenSettings, session: Session): boolean {
  if (lacksKey && session.once("warn of the missing key")) {
    session.warn(undefined, missingKeyWarning());
  }
  return lacksKey;
}

/** Warns once that the run will be refused. Planning and deleting an existing resource needs no valid setting. */
export function warnOfRefusal(settings: GivenSettings, session: Session): void {
  const problems = settingProblems(settings);
  if (problems.length > 0 && session.once("warn of wrong settings")) {
    session.warn(
      undefined,
      `DOCS_CONFIGURATION, \`${words.run}\` will be refused as soon as it has something to send: ${problems.join("; ")}`,
    );
  }
}
