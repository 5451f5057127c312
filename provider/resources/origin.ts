import { baseUrl, placesOf } from "../settings/settingTable";
import { OriginError } from "../support/errors";

/**
 * Checks that the state belongs to this platform. Only one platform knows a job, so under another base URL, "not found"
 * would not mean that the job is gone. A state without an origin was read from this platform by a look-up.
 * @throws OriginError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginError(stateOrigin, configured, placesOf(baseUrl));
  }
}
