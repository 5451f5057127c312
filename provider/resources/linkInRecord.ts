import type { PlatformClient } from "../platform/client";
import { platformRoutes } from "../platform/routes";
import { placesOf, routes as routesSetting } from "../settings/settingTable";
import { RefusedError, RequestError } from "../support/errors";
import { words } from "../support/words";
import type { Context } from "./lifecycle";

/** The statuses with which a platform answers if it lacks the operation. 404 may also mean an unknown job. */
const missingOperation: readonly unknown[] = [404, 405, 501];

export function lacksOperation(error: unknown): error is RequestError {
  return error instanceof RequestError && missingOperation.includes(error.status);
}

/**
 * Checks, after a failed mint, whether the platform lacks the operation. Some platforms have no operation for bundles,
 * and the record of a completed job has the link. So this function reads the job's record.
 * @throws RefusedError with the line of `routes` to set, if the record has a link.
 */
export async function requireNoLinkInRecord(
  job: string,
  answer: RequestError,
  client: PlatformClient,
  { signal, settings }: Context,
): Promise<void> {
  const { routes } = settings();
  const record = routes.getExport ?? platformRoutes.getExport.path;
  const generateBundle = /^(GET|POST) /.test(record) ? record : `GET ${record}`;
  if (routes.generateBundle === generateBundle) {
    return;
  }
  // If this request fails, its error is ignored, because the error of the mint says more.
  const { hasLink } = await client.getExport(job, { signal, maxRetries: 0 }).catch(() => ({ hasLink: undefined }));
  if (hasLink) {
    throw new RefusedError({
      happened: `this platform has no operation for bundles, but the record of export job ${job} has a link: ${answer.happened}`,
      remedy: `let the link be read from the record: set ${placesOf(routesSetting)} to the templates in this line.`,
      paste: words.routes({ ...routes, generateBundle }),
    });
  }
}
