import type { GivenSettings } from "../settings/settings";
import { RateLimitError, type RequestError } from "../support/errors";

/**
 * How many polls of a wait may fail in a row. A limit whose end the platform names is no fault: it ends no wait before the
 * deadline, unless the user has said how often to try.
 */
export function maxFailedPolls(failure: RequestError, { maxRetries, waitsOutLimits }: GivenSettings): number {
  const isLimit = failure instanceof RateLimitError && (failure.retryAfter ?? 0) > 0;
  return isLimit && waitsOutLimits ? Number.POSITIVE_INFINITY : maxRetries;
}
