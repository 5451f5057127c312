import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import { archiveWith } from "../../unit/provider/mirror/archive/archives";
import { campaign } from "../campaign";
import type { Reply } from "../loopback";
import { throwingLifecycles } from "../throwingLifecycles";
import { eachMirrorPlace, type SharedPlace } from "./mirrorPlaces";
import { destroyMirror, type MirrorWorld, mirrorWorld } from "./mirrorWorld";
import { first, second, siteManifest } from "./siteWorld";
import { storageReply } from "./storage";

const { bundleMirror } = throwingLifecycles;

type Layout = BundleMirrorInputs["layout"];
export type ContentKind = (typeof eachMirrorPlace)[number][1];

/** The two bundles that the platform serves in these tests. */
export const bundles = Promise.all([first, second].map((files) => archiveWith("tar.gz", files)));

const layouts = ["site", "archive"] as const;

/**
 * Each layout in each store, for `describe.each`. Outside the campaign, a store whose server is another process has
 * only one layout.
 */
export const eachOwnedPlace = eachMirrorPlace.flatMap(([kind, holds, places], index) =>
  layouts
    .filter((_, turn) => campaign || !/^(s3|azblob)$/.test(kind) || turn === index % layouts.length)
    .map((layout) => [layout, kind, holds, places] as const),
);

/**
 * The files or tags that a mirror writes for one bundle: `main` is for readers, `record` is the mirror's record, and
 * `all` is every name.
 */
export function namesOf(holds: ContentKind, layout: Layout, job = "job-1", files = first) {
  if (holds === "images") {
    const tag = layout === "site" ? "latest" : job;
    return { main: tag, record: `${tag}.mirror`, all: [tag, `${tag}.mirror`] };
  }
  if (layout === "site") {
    const record = siteManifest;
    return { main: "index.html", record, all: [...files.map(([path]) => path), record].sort() };
  }
  const main = `${job}.tar.gz`;
  return { main, record: `${job}.json`, all: [main, `${job}.json`, `${main}.sha256`].sort() };
}

const annotation = "pulumi-docs-platform.mirror";

export interface RecordFields {
  seals: string[];
  files?: { path: string }[];
  digest?: string;
}

/** @param record the text of the record's file, or of an image manifest that has the record as an annotation. */
export function fieldsOf(record: string): RecordFields {
  const whole = JSON.parse(record);
  return JSON.parse(whole.annotations?.[annotation] ?? record);
}

/** Changes fields of a record, as another user with write access could. */
export async function editRecord(
  place: SharedPlace,
  name: string,
  change: (fields: RecordFields) => object,
): Promise<void> {
  const { [name]: record = "" } = await place.all();
  const fields = fieldsOf(record);
  const changed = JSON.stringify({ ...fields, ...change(fields) });
  const isImage = fields.files === undefined;
  const annotations = { [annotation]: changed };
  await place.write(name, isImage ? JSON.stringify({ ...JSON.parse(record), annotations }) : changed);
}

/** Returns a function that makes a mirror's inputs and surroundings, with a new place for each call. */
export function worldsAt(layout: Layout, newPlace: () => Promise<SharedPlace>) {
  /** @param turns the served archive, or the index of the served bundle, for each download. */
  return async (...turns: (0 | 1 | Buffer)[]) => {
    const place = await newPlace();
    const archives = await bundles;
    const [one, ...others] = (turns.length === 0 ? [0, 1] : turns).map((turn) =>
      storageReply(typeof turn === "number" ? (archives[turn] as Buffer) : turn),
    );
    const world = await mirrorWorld([one as Reply, ...others]);
    const inputs: BundleMirrorInputs = { ...world.inputs, layout, destination: place.destination };
    const named = (owner: string): MirrorWorld => ({ ...world, inputs, context: { ...world.context, owner } });
    return {
      ...{ ...world, place, inputs, named },
      names: async () => Object.keys(await place.all()).sort(),
      refresh: async (state: BundleMirrorState) =>
        (await bundleMirror.read("id", state, world.context)) as BundleMirrorState,
      update: (state: BundleMirrorState, changed: Partial<BundleMirrorInputs> = {}) =>
        bundleMirror.update("id", state, { ...inputs, ...changed }, world.context),
    };
  };
}

export async function warningsOf(state: BundleMirrorState): Promise<string[]> {
  const warnings: string[] = [];
  await destroyMirror(state, { warn: (text) => warnings.push(text) });
  return warnings;
}
