import { baseUrl, placesOf } from "../settings/settingTable";
import { OriginError } from "../support/errors";

/**
 * Checks that the state belongs to this platform. Only one platform knows a job, so under another base URL, "not found"
 * would not mean that the job is gone. If a look-up has read the state, it has no origin, but it is from this platform.
 * @throws OriginError if the state was created at another origin.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginError(stateOrigin, configured, placesOf(baseUrl));
  }
}
