import { baseUrl, placesOf } from "../settings/settingTable";
import { OriginError } from "../support/errors";

/**
 * A job is known to one platform only: under another base URL "not found" would not mean that it is gone.
 * @throws OriginError where the state was made at another origin; a state that tells none was looked up here.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginError(stateOrigin, configured, placesOf(baseUrl));
  }
}
