import type { RawValues } from "../definitions/values";
import type { WriteOutcome } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import type { GivenSettings } from "../settings/settings";
import type { ErrorConsequences } from "../support/errors";
import { words } from "../support/words";
import { create } from "./apply";
import type { Session } from "./session";

/**
 * Creates something that no state keeps. The journal does not record the start, because a user who asks again wants
 * another job.
 */
export async function createStateless(
  definition: Resource,
  { inputs, settings }: { inputs: RawValues; settings: GivenSettings },
  session: Session,
): Promise<RawValues> {
  const outcome = await create(definition, { inputs, settings }, session);
  if (outcome.problem !== undefined) {
    throw outcome.problem.withNewOutcome(consequencesOf(definition, outcome));
  }
  return outcome.state;
}

function consequencesOf(
  { kept }: Resource,
  { id, state: { jobId, status } }: WriteOutcome<RawValues>,
): ErrorConsequences {
  const what = kept === undefined ? `what was sent to job ${jobId}` : `${kept} ${id}`;
  return {
    exists: `${status === undefined ? `perhaps ${what}` : `${what}, last seen "${status}"`}. No state keeps it.`,
    nextRun: "another invocation starts another job, or sends another message.",
    remedy: `look at the job on the platform. To continue with an export job, adopt it as ${words.name("jobId")} of a ${words.type("StaticExport")}, or import it.`,
  };
}
