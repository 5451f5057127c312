import { baseUrl, describeSettingPlaces } from "../settings/settingTable";
import { PlatformOriginError } from "../support/errors";

/**
 * If another platform answers "not found", the job may still exist on its own platform. A state from a look-up has no
 * origin, and is not checked.
 * @throws PlatformOriginError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new PlatformOriginError(stateOrigin, configured, describeSettingPlaces(baseUrl));
  }
}
