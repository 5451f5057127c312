import type { BundleMirrorState } from "../../provider/definitions/bundleMirror";
import { readPrivate } from "../../provider/hosts/terraform/privateState";
import type { Core, ObjectRecord, PlanFile } from "../support/terraform/core";
import { type ModelDestinations, parsedPlace, placeOf } from "./destinations";
import { brokenMirrors, brokenPlaces, filesLeft } from "./mirrorRules";

export const mirrors = "docsplatform_bundle_mirror";

type Cores = ReadonlyMap<string, Core>;

/** All mirrors of the states, with those that an unfinished replacement has left. */
export function heldMirrors(cores: Cores): BundleMirrorState[] {
  return resourcesOf(cores).flatMap(({ current, deposed }) =>
    [...(current === undefined ? [] : [current]), ...deposed].map(stateOf),
  );
}

/** Returns the faults of the mirrors in one state after a successful apply of all of it. */
export function wrongMirrors(destinations: ModelDestinations, core: Core): Promise<string[]> {
  const all = [...core.state].filter(([, { type, current }]) => type === mirrors && current?.tainted === false);
  return brokenMirrors(
    destinations,
    all.flatMap(([address, { current }]) => (current === undefined ? [] : [[address, stateOf(current)] as const])),
  );
}

/** Archives that a run was to replace, and that are gone although nothing has come in their place. */
export async function lostArchives(destinations: ModelDestinations, core: Core, plan: PlanFile): Promise<string[]> {
  const problems: string[] = [];
  for (const { address, action, type } of plan.changes) {
    const [before, now] = [plan.prior.get(address)?.current, core.saved(address)];
    const { config = {}, early = {} } = plan.configuration[address] ?? {};
    const next = config.destination?.content;
    // A site needs the place of an archive.
    const isArchive = config.layout?.content !== "site" && early.layout === undefined;
    // Terraform hands over a tainted object without the key by which a mirror knows its files.
    if (type !== mirrors || action !== "replace" || before === undefined || before.tainted || now !== undefined) {
      continue;
    }
    const earlier = stateOf(before);
    const place = placeOf(parsedPlace(next));
    const isThere = [...destinations.files.keys()].some((name) => name.startsWith(place) && name.endsWith(".tar"));
    if (earlier.layout === "archive" && isArchive && !isThere) {
      problems.push(...(await brokenMirrors(destinations, [[`${address}, which was to be replaced`, earlier]])));
    }
  }
  return problems;
}

/** The faults at the places of mirrors, whichever run was the last. */
export function wrongPlaces(destinations: ModelDestinations, cores: Cores): string[] {
  return brokenPlaces(destinations, heldMirrors(cores));
}

/** Names the files of mirrors that some state has had, and that none has now. */
export function leftOfMirrors(
  destinations: ModelDestinations,
  cores: Cores,
  ever: Iterable<BundleMirrorState>,
): Promise<string[]> {
  return filesLeft(destinations, heldMirrors(cores), ever);
}

function resourcesOf(cores: Cores) {
  return [...cores.values()].flatMap(({ state }) => [...state.values()].filter(({ type }) => type === mirrors));
}

/** The part of a mirror's state on which its files depend. */
function stateOf({ block, private: bytes }: ObjectRecord): BundleMirrorState {
  const given = (name: string) => block[name]?.content ?? undefined;
  const { __key } = readPrivate(bytes).own ?? {};
  const [jobId, destination, format, sha256] = ["job_id", "destination", "format", "sha256"].map(given);
  const layout = given("layout") ?? "archive";
  return { jobId, destination, layout, format, sha256, __key } as unknown as BundleMirrorState;
}
