import { baseUrl, describeSettingPlaces } from "../settings/settingTable";
import { OriginMismatchError } from "../support/errors";

/**
 * If another platform answers "not found", the job may still exist on its own platform. A state from a look-up has no
 * origin, and is not checked.
 * @throws OriginMismatchError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginMismatchError(stateOrigin, configured, describeSettingPlaces(baseUrl));
  }
}
