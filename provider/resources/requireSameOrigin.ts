import { baseUrl, describeSettingPlaces } from "../settings/settingTable";
import { PlatformOriginMismatchError } from "../support/errors";

/**
 * If another platform answers "not found", the job may still exist on its own platform. A state from a look-up has no
 * origin, and is not checked.
 * @throws PlatformOriginMismatchError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new PlatformOriginMismatchError(stateOrigin, configured, describeSettingPlaces(baseUrl));
  }
}
