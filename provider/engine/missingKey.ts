import { missingKeyWarning } from "../settings/apiKeySource";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";

/**
 * Warns, once in each process, that the plan needs a key and no key is given. No host tells a check or a diff if it
 * runs in a preview; in a run the error follows.
 * @returns true if the key is missing.
 */
export function warnOfMissingKey(settings: SettingsReader, session: Session): boolean {
  const isMissing = settings.lacksKey();
  if (isMissing && session.once("warn of the missing key")) {
    session.warn(undefined, missingKeyWarning());
  }
  return isMissing;
}
