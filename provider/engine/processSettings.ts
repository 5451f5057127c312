import { journalPlaceProblem } from "../journal/openJournal";
import { setProcessCaFile } from "../network/authorities";
import { proxyProblem } from "../network/proxy";
import { missingKeyWarning } from "../settings/apiKeySource";
import type { CheckedSettings } from "../settings/settings";
import { words } from "../support/words";
import type { Session } from "./session";

/** Returns every problem of the settings, the journal and the proxy that can be found without a request. */
export function findConfigurationProblems({ problems, values, environment }: CheckedSettings): readonly string[] {
  const ofPlaces = [
    journalPlaceProblem(values.journal),
    values.baseUrl === undefined ? undefined : proxyProblem(values.baseUrl, environment),
  ];
  return [...problems, ...ofPlaces.filter((problem) => problem !== undefined)];
}

/** Applies the settings that concern the whole process. Warns if a secret of this machine may go to a wrong server. */
export function applyProcessSettings({ redirection, values }: CheckedSettings, session: Session): void {
  if (redirection !== undefined) {
    session.warn(undefined, redirection);
  }
  setProcessCaFile(values.caFile);
}

/** Warns once per process. A missing key is no error here, because a preview needs no key. */
export function warnOfMissingKey({ lacksKey }: CheckedSettings, session: Session): boolean {
  if (lacksKey && session.once("warn of the missing key")) {
    session.warn(undefined, missingKeyWarning());
  }
  return lacksKey;
}

/** Warns once per process. A plan, and the delete of an existing resource, work with invalid settings. */
export function warnOfInvalidSettings(settings: CheckedSettings, session: Session): void {
  const problems = findConfigurationProblems(settings);
  if (problems.length > 0 && session.once("warn of wrong settings")) {
    session.warn(
      undefined,
      `DOCS_CONFIGURATION, \`${words.run}\` will be refused as soon as it has something to send: ${problems.join("; ")}`,
    );
  }
}
