import { missingKeyWarning } from "../settings/apiKeySource";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";

/**
 * Warns, once a process, that what is planned needs a key and there is none. No host tells a check or a diff whether it is a
 * preview: in a run the error follows.
 * @returns true where the key is missing.
 */
export function warnOfMissingKey(settings: SettingsReader, session: Session): boolean {
  const isMissing = settings.lacksKey();
  if (isMissing && session.once("warn of the missing key")) {
    session.warn(undefined, missingKeyWarning());
  }
  return isMissing;
}
