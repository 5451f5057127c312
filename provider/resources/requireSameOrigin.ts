import { baseUrl, describeSettingPlaces } from "../settings/settingTable";
import { OriginError } from "../support/errors";

/**
 * Another platform's "not found" would not mean that the job is gone. A state from a look-up has no origin.
 * @throws OriginError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginError(stateOrigin, configured, describeSettingPlaces(baseUrl));
  }
}
