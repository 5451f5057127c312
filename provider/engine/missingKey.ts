import { missingKeyWarning } from "../settings/apiKeySource";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";

/** Warns once in a process that no key is given, which a preview does not need. @returns true if it is missing. */
export function warnOfMissingKey(settings: SettingsReader, session: Session): boolean {
  const isMissing = settings.lacksKey();
  if (isMissing && session.once("warn of the missing key")) {
    session.warn(undefined, missingKeyWarning());
  }
  return isMissing;
}
