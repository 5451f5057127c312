import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { DocsPlatformError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { mirrorPlaces, type SharedPlace } from "../../../support/mirror/mirrorPlaces";
import { destroyMirror, type MirrorWorld, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";
import { tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

/* A mirror and another user write at the same place. The mirror must change only its own files. */

type Layout = BundleMirrorInputs["layout"];
type Files = Record<string, string>;

const sites: readonly Files[] = [
  { "index.html": "one", "a.html": "a1", "guide/b.html": "b1" },
  { "index.html": "two", "guide/b.html": "b1", "c.html": "c2" },
  { "index.html": "three", "a.html": "a3", guide: "a file in the place of a folder" },
];

type Command =
  | { kind: "publish"; job: number; packing: number; way: "told" | "untold" | "update"; name: string; stop: Stop }
  | { kind: "destroy" | "refresh" | "clean up" }
  | { kind: "write"; path: number; job: number }
  | { kind: "replay"; object: number; isManifest: boolean };

/** Stops a publication after this number of files. If the run is killed, no state contains the publication. */
type Stop = { after: number; isKilled: boolean } | undefined;

const whole = (max: number) => fc.integer({ min: 0, max });
const stop: fc.Arbitrary<Stop> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ after: fc.integer({ min: 1, max: 3 }), isKilled: fc.boolean() }) },
);
const publish = fc.record({
  kind: fc.constant("publish" as const),
  job: whole(2),
  packing: whole(1),
  way: fc.constantFrom("update", "update", "update", "told", "untold"),
  name: fc.constantFrom("this mirror", "this mirror", "the renamed mirror"),
  stop,
});
/** The usual publication: an update of the mirror by a run without a fault. */
const plain = { kind: "publish", job: 0, packing: 0, way: "update", name: "this mirror", stop: undefined } as const;
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: publish },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("destroy", "refresh", "clean up") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("write" as const), path: whole(5), job: whole(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("replay" as const),
      object: fc.nat(),
      isManifest: fc.constantFrom(true, true, false),
    }),
  },
);
const history = fc.record({
  /** The jobs that are published first, in this order, each by an update. */
  jobs: fc.array(whole(2), { maxLength: 4 }),
  commands: fc.array(command, { maxLength: 8 }),
  isDestroyed: fc.boolean(),
});

/** Returns a publication's file names, the contents that are known in advance, and the name of its manifest. */
type NamesOf = (job: number) => { names: readonly string[]; contents: Files; manifest: string };

interface Saved {
  state: BundleMirrorState;
  /** All names that this publication and later publications of the same mirror have listed. */
  listed: Set<string>;
  /** True if the new mirror that replaces this one has published at the same place. */
  isReplaced?: boolean;
}

class Story {
  #saved: Saved | undefined;
  /** The replaced mirrors that are not deleted yet. */
  #old: Saved[] = [];
  readonly #written: [name: string, content: string][] = [];
  /** False after another user has written here, or after a run has left files that no state contains. */
  #isAlone = true;

  constructor(
    readonly place: SharedPlace,
    readonly world: MirrorWorld,
    readonly serve: (job: number, packing: number) => Promise<void>,
    readonly layout: Layout,
    readonly namesOf: NamesOf,
  ) {}

  async run(one: Command): Promise<void> {
    switch (one.kind) {
      case "publish":
        await this.#publish(one);
        return;
      case "refresh":
        return this.#refresh();
      case "clean up":
        return this.#cleanUp();
      case "destroy":
        await this.#cleanUp();
        return this.#remove(this.#saved).then(() => {
          this.#saved = undefined;
        });
      case "write": {
        const all = sites.flatMap((_, job) => this.namesOf(job).names);
        const free = [...new Set(all)].filter((name) => !this.#saved?.listed.has(name));
        const name = free[one.path % free.length] ?? "index.html";
        return this.#somebodyWrites(name, this.namesOf(one.job).contents[name] ?? "theirs");
      }
      case "replay": {
        const written = this.#written.filter(([name]) => !one.isManifest || this.#isManifest(name));
        const object = written[one.object % written.length];
        return object && this.#somebodyWrites(...object);
      }
    }
  }

  /** Publishes once more. Expects the job's files at the place, and no other files if no other user has written. */
  async end(): Promise<void> {
    if (!(await this.#publish(plain, sha256Of(await bundleOf(0, 0))))) {
      return;
    }
    const { names, contents, manifest } = this.namesOf(0);
    expect(await this.place.all()).toMatchObject(contents);
    if (this.#isAlone) {
      await this.#cleanUp();
      expect(Object.keys(await this.place.all()).sort()).toEqual([...names, manifest].sort());
      await this.run({ kind: "destroy" });
      expect(await this.place.all()).toEqual({});
    }
  }

  #isManifest(name: string): boolean {
    return sites.some((_, job) => this.namesOf(job).manifest === name);
  }

  async #somebodyWrites(name: string, content: string): Promise<void> {
    this.#isAlone = false;
    await this.place.write(name, content).catch(() => {});
  }

  /** @returns true if the publication succeeded. */
  async #publish(
    { job, packing, way, name, stop }: Command & { kind: "publish" },
    expectedSha256?: string,
  ): Promise<boolean> {
    const { world, layout } = this;
    await this.serve(job, packing);
    const inputs: BundleMirrorInputs = {
      ...{ jobId: `job-${job}`, destination: this.place.destination, layout },
      ...(expectedSha256 !== undefined && { expectedSha256 }),
    };
    const controller = new AbortController();
    const status = (text: string) => {
      if (stop !== undefined && Number(/^(\d+) of \d+ files published/.exec(text)?.[1]) >= stop.after) {
        controller.abort(new Error("cancelled"));
      }
    };
    const context = { ...world.context, owner: name, status, signal: controller.signal };
    const before = this.#saved;
    const isHere = before !== undefined && (layout === "site" || before.state.jobId === inputs.jobId);
    const isUpdate = isHere && way === "update";
    const earlier = way === "untold" ? undefined : before?.state;
    const mayTouch = isUpdate || (isHere && earlier) ? before.listed : new Set<string>();
    const listed = new Set(this.namesOf(job).names);
    const links = world.platform.calls.length;
    const made = isUpdate
      ? bundleMirror.update(
          "id",
          expectedSha256 ? { ...before.state, __difference: "changed" } : before.state,
          inputs,
          context,
        )
      : bundleMirror.create(inputs, context, earlier).then(({ state }) => state);
    const outcome = await this.#within(mayTouch, () => made.catch((error: unknown) => error));
    if (outcome instanceof SavedFailure) {
      for (const one of [...listed].filter(() => mayTouch.size > 0)) {
        mayTouch.add(one);
      }
      if (stop?.isKilled) {
        this.#isAlone &&= before !== undefined;
      } else {
        this.#saved = { state: outcome.state as BundleMirrorState, listed: new Set([...mayTouch, ...listed]) };
        this.#old.push(...(before && !isUpdate ? [before] : []));
      }
      return false;
    }
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(DocsPlatformError);
      return false;
    }
    // An unchanged update requests no link. So a new link shows that the update has published.
    const isPublished = world.platform.calls.length > links;
    this.#saved = { state: outcome as BundleMirrorState, listed: isPublished || !before ? listed : before.listed };
    this.#old.push(...(before && !isUpdate ? [before] : []));
    for (const old of this.#old.filter(({ state }) => layout === "site" || state.jobId === inputs.jobId)) {
      old.isReplaced = true;
    }
    return true;
  }

  async #refresh(): Promise<void> {
    const { state, listed } = this.#saved ?? {};
    if (state === undefined || listed === undefined) {
      return;
    }
    const read = await this.#within(new Set(), () => bundleMirror.read("id", state, this.world.context));
    this.#saved = read && { state: read, listed };
  }

  /** Deletes the replaced mirrors. If `isReplaced` and `#isAlone` are true, a deletion may change only the manifest. */
  async #cleanUp(): Promise<void> {
    for (const { state, listed, isReplaced = false } of this.#old.splice(0)) {
      await this.#remove({ state, listed: isReplaced && this.#isAlone ? new Set() : listed });
    }
  }

  async #remove(saved: Saved | undefined): Promise<void> {
    if (saved !== undefined) {
      await this.#within(saved.listed, () => destroyMirror(saved.state));
    }
  }

  /** Runs an operation. It may change only the manifest and the files in `mayTouch`. */
  async #within<T>(mayTouch: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    const before = await this.place.all();
    const result = await work();
    const after = await this.place.all();
    const touched = Object.keys(before).filter((name) => after[name] !== before[name]);
    expect(touched.filter((name) => !mayTouch.has(name) && !this.#isManifest(name))).toEqual([]);
    this.#written.push(...Object.entries(after).filter(([name, content]) => before[name] !== content));
    return result;
  }
}

const tars = new Map<string, Promise<Buffer>>();

function bundleOf(job: number, packing: number): Promise<Buffer> {
  const entries = Object.entries(sites[job] ?? {}).map(([name, content]) => ({ name, content }));
  const made =
    tars.get(`${job} ${packing}`) ?? tarOf(entries.map((one) => ({ ...one, mtime: new Date(packing * 1_000) })));
  tars.set(`${job} ${packing}`, made);
  return made;
}

async function play(
  layout: Layout,
  runs: number,
  newPlace: () => Promise<SharedPlace>,
  namesOf: NamesOf,
): Promise<void> {
  let bundle: Buffer = Buffer.alloc(0);
  const world = await mirrorWorld([(...args) => storageReply(bundle)(...args)]);
  const serve = async (job: number, packing: number) => {
    bundle = await bundleOf(job, packing);
  };
  await fc.assert(
    fc.asyncProperty(history, async ({ jobs, commands, isDestroyed }) => {
      const story = new Story(await newPlace(), world, serve, layout, namesOf);
      for (const job of jobs) {
        await story.run({ ...plain, job });
      }
      for (const one of commands) {
        await story.run(one);
      }
      await (isDestroyed ? story.run({ kind: "destroy" }) : story.end());
    }),
    { numRuns: campaign ? 150 * runs : runs, seed: campaignSeed() },
  );
}

async function namesIn(layout: Layout): Promise<NamesOf> {
  const archives = await Promise.all(sites.map((_, job) => bundleOf(job, 0)));
  return (job) => {
    if (layout === "site") {
      const contents = sites[job] ?? {};
      return { names: Object.keys(contents), contents, manifest: ".bundle-mirror.json" };
    }
    const archive = `job-${job}.tar`;
    const bytes = archives[job] ?? Buffer.alloc(0);
    const contents = { [archive]: bytes.toString("latin1"), [`${archive}.sha256`]: `${sha256Of(bytes)}  ${archive}\n` };
    return { names: Object.keys(contents), contents, manifest: `job-${job}.json` };
  };
}

const minutes = 20 * 60_000;
const promise = "touches only what the publication of its state lists, in every history that is drawn";

describe.each([
  ["site", "file", 20],
  ["archive", "file", 20],
  ["site", "s3", 3],
] as const)("a mirror of layout %s at a place of the scheme %s", (layout, kind, runs) => {
  const newPlace = mirrorPlaces[kind]();
  it(promise, async () => play(layout, runs, newPlace, await namesIn(layout)), minutes);
});

describe("a mirror in a registry", () => {
  const namesOf: NamesOf = () => ({ names: ["latest"], contents: {}, manifest: "latest.mirror" });
  it(promise, () => play("site", 6, mirrorPlaces.oci(), namesOf), minutes);
});
