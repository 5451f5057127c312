import { baseUrl, placesOf } from "../settings/settingTable";
import { OriginError } from "../support/errors";

/**
 * Checks that the state belongs to this platform. Only one platform knows a job: under another base URL, "not found"
 * would not mean that the job is gone.
 * @throws OriginError if the state was created at another origin. If a state has no origin, it was looked up here.
 */
export function requireSameOrigin(stateOrigin: string | undefined, configured: string): void {
  if (stateOrigin !== undefined && stateOrigin !== configured) {
    throw new OriginError(stateOrigin, configured, placesOf(baseUrl));
  }
}
