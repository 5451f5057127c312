import { createHash } from "node:crypto";
import type { BundleMirrorState } from "../../provider/definitions/bundleMirror";
import type { RawValues } from "../../provider/definitions/values";
import { readArchiveManifest } from "../../provider/mirror/layouts/archiveManifest";
import { findExistingSite } from "../../provider/mirror/layouts/existingSite";
import { archiveFiles, siteManifestName } from "../../provider/mirror/layouts/fileNames";
import { isOwnerOf } from "../../provider/mirror/layouts/mirrorOwner";
import { mirrorIn } from "../../provider/mirror/openMirror";
import { Places } from "../../provider/mirror/places";
import { ownerOf } from "../../provider/resources/bundleMirrorOwner";
import { mirroredOf } from "../../provider/resources/bundleMirrorState";
import { systemClock } from "../../provider/support/time/clock";
import { bundleBytesOf, siteOf } from "./bundles";
import { type ModelDestinations, parsedPlace, placeOf } from "./destinations";
import type { Backend } from "./pulumiRun";

const never = new AbortController().signal;

/** Files that were to stand beside an archive, which is not there. */
export function litter({ files }: ModelDestinations, inFoldersOnly: boolean): string[] {
  return [...files.keys()]
    .filter((name) => name.startsWith("/") || !inFoldersOnly)
    .filter((name) => name.endsWith(".json") && !name.endsWith(siteManifestName))
    .filter((name) => !files.has(name.replace(/\.json$/, ".tar")));
}

/** The mirrors that the backend has, by their names. */
export function savedMirrors(backend: Backend): [name: string, state: BundleMirrorState][] {
  return Object.entries(backend).flatMap(([name, { saved }]) =>
    saved?.state.__key === undefined ? [] : [[name, saved.state as unknown as BundleMirrorState]],
  );
}

/** The names of the files that a mirror has at its place, each with its content where that is known before. */
async function filesOf({
  layout,
  jobId,
  format,
  destination,
}: BundleMirrorState): Promise<Map<string, Buffer | undefined>> {
  const place = placeOf(parsedPlace(destination));
  const { archive, checksum, manifest } = archiveFiles(jobId, format);
  const files: [string, Buffer | undefined][] =
    layout === "site"
      ? [
          ...Object.entries(siteOf(jobId)).map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]),
          [siteManifestName, undefined],
        ]
      : [
          [archive, await bundleBytesOf(jobId)],
          [checksum, undefined],
          [manifest, undefined],
        ];
  return new Map(files.map(([name, bytes]) => [place + name, bytes]));
}

/** The faults of mirrors that the state calls complete. */
export async function brokenMirrors(
  destinations: ModelDestinations,
  mirrors: readonly (readonly [string, BundleMirrorState])[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, state] of mirrors) {
    for (const [file, bytes] of await filesOf(state)) {
      const there = destinations.files.get(file)?.bytes;
      if (there === undefined || (bytes !== undefined && !isWritten(there, bytes, state))) {
        problems.push(`LOST FILE: ${file} of ${name} is ${there === undefined ? "gone" : "another one"}`);
      }
    }
  }
  return problems;
}

/** An archive is as the state says; a page is as the job has made it. */
function isWritten(there: Buffer, bytes: Buffer, { layout, sha256 }: BundleMirrorState): boolean {
  return layout === "archive" ? createHash("sha256").update(there).digest("hex") === sha256 : bytes.equals(there);
}

async function namesOf(mirrors: readonly BundleMirrorState[]): Promise<Set<string>> {
  const files = await Promise.all(mirrors.map(filesOf));
  return new Set(files.flatMap((each) => [...each.keys()]));
}

/** Names the files of mirrors that a state has had, and that none has now. */
export async function filesLeft(
  destinations: ModelDestinations,
  saved: readonly BundleMirrorState[],
  ever: Iterable<BundleMirrorState>,
): Promise<string[]> {
  const held = await namesOf(saved);
  return [...(await namesOf([...ever]))]
    .filter((name) => destinations.files.has(name) && !held.has(name))
    .map((name) => `LEFT: ${name} is of a mirror that no state has any more`);
}

/** The rules that hold at each moment, whoever is at work. */
export function brokenPlaces(destinations: ModelDestinations, saved: readonly BundleMirrorState[]): string[] {
  const { files, habits, torn } = destinations;
  const touched = (habits.others ?? []).filter((name) => files.get(name)?.bytes.toString() !== "theirs");
  const keys = saved.map((state) => state.__key);
  const secrets = [...files.values()]
    .map(({ bytes }) => bytes.toString("latin1"))
    .filter((text) => ["svc_", "signature=", ...keys].some((secret) => text.includes(secret)));
  return [
    ...touched.map((name) => `FOREIGN: ${name} of others was touched`),
    ...[...torn].map((name) => `TORN: ${name} was there without the files beside it`),
    ...(secrets.length > 0 ? ["SECRET: a file at the destination holds a key or a link"] : []),
  ];
}

/**
 * The answer of a person to an error about files that are in the way.
 * @returns false if all of them are files of mirrors, or of others.
 */
export async function moveAway(
  destinations: ModelDestinations,
  saved: readonly BundleMirrorState[],
  place: unknown,
): Promise<boolean> {
  const held = await namesOf(saved);
  const before = destinations.files.size;
  for (const name of [...destinations.files.keys()]) {
    if (
      name.startsWith(placeOf(parsedPlace(place))) &&
      !held.has(name) &&
      !destinations.habits.others?.includes(name)
    ) {
      destinations.files.delete(name);
    }
  }
  return destinations.files.size < before;
}

/** All that a later run can see at the destinations, with digests that tell nothing left to whoever renames them. */
export async function destinationsSummary(destinations: ModelDestinations, backend: Backend): Promise<unknown> {
  if (destinations.files.size === 0) {
    return [];
  }
  const texts = [...destinations.files].map(([name, { bytes }]) => [name, bytes.toString("latin1")]);
  const seen = await Promise.all(savedMirrors(backend).map(([, state]) => relation(destinations, state)));
  return [texts.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)), seen];
}

/** How a mirror's own code sees what is there: digests and seals are compared here. */
async function relation(destinations: ModelDestinations, state: BundleMirrorState): Promise<RawValues> {
  const destination = parsedPlace(state.destination);
  const store = destinations.storeOf(destination, never);
  const holder = { clock: systemClock, newId: () => "", name: "", hasEnded: () => false };
  const mirror = mirrorIn(store, { destination, layout: state.layout, places: new Places(), holder });
  const { kind } = await mirror.inspect(ownerOf(state), mirroredOf(state));
  if (state.layout === "site") {
    const { manifest, own, others, listChanged, inState } = await findExistingSite(ownerOf(state), store);
    return { kind, own, others: others.length, listChanged, inState, isPending: manifest?.pending };
  }
  const manifest = readArchiveManifest(
    state.jobId,
    await store.read(archiveFiles(state.jobId, state.format).manifest, 65_536),
  );
  return { kind, isOwner: manifest !== undefined && isOwnerOf(ownerOf(state), manifest) };
}
