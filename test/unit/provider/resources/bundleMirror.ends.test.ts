import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import type { FileOrObjectStore } from "../../../../provider/storage/store";
import { campaign } from "../../../support/campaign";
import { destroyMirror, mirrorsWith, mirrorWorld, storeFault } from "../../../support/mirror/mirrorWorld";
import { siteManifest } from "../../../support/mirror/siteWorld";
import { filesIn, storageReply } from "../../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../../support/random";
import { playLife } from "../../../support/strangers/storeLife";
import { strangeStores } from "../../../support/strangers/storePlaces";
import { occasions, type StoreFamily } from "../../../support/strangers/stores";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

const ends = ["fails", "is done, and its answer is lost", "is cut off by a kill"] as const;
type End = (typeof ends)[number];

const sites = [
  { "index.html": "one", "guide/old.html": "old" },
  { "index.html": "two", "guide/new.html": "new" },
];
const theirs = "theirs.txt";

/** Ends the run at one operation of a store, in the way `how`. Calls `look` after each operation that succeeds. */
class Ending {
  #left: number;
  /** Rejects when the process is killed. Later operations of the process never return. */
  killed = Promise.withResolvers<never>();
  readonly #over = Promise.withResolvers<never>();

  constructor(
    at: number,
    private readonly how: End,
    private readonly look: () => void,
  ) {
    this.#left = at;
    this.killed.promise.catch(() => {});
    this.#over.promise.catch(() => {});
  }

  /** Lets the operations of killed processes return, so that their files are closed. */
  end(): void {
    this.#over.reject(storeFault());
  }

  get hasCome(): boolean {
    return this.#left < 0;
  }

  around(store: FileOrObjectStore): FileOrObjectStore {
    const life = this.killed;
    const ended = <T>(work: () => Promise<T>) => (life === this.killed ? this.#step(work) : this.#over.promise);
    return {
      put: (...given) => ended(() => store.put(...given)),
      stat: (...given) => ended(() => store.stat(...given)),
      sha256: (...given) => ended(() => store.sha256(...given)),
      read: (...given) => ended(() => store.read(...given)),
      remove: (...given) => ended(() => store.remove(...given)),
      async *list() {
        yield* await ended(async () => store.list());
      },
      async *content(name) {
        yield* await ended(async () => store.content(name));
      },
      address: (name) => store.address(name),
      close: () => store.close(),
    };
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    const isNow = this.#left-- === 0;
    if (isNow && this.how === "fails") {
      throw storeFault();
    }
    if (isNow && this.how === "is cut off by a kill") {
      this.killed.reject("killed");
      return this.#over.promise;
    }
    const result = await work();
    this.look();
    if (isNow) {
      throw storeFault();
    }
    return result;
  }
}

it.each(["archive", "site"] as const)(
  "a mirror of layout %s is whole, and leaves nothing, after one operation at its place has failed, or was cut off: whichever it is",
  async (layout) => {
    const bundles = await Promise.all(sites.map((site) => archiveWith("tar", Object.entries(site))));
    let schedules = 0;

    /** Plays one case. Returns false if the case has no operation with the index `at`. */
    async function play(at: number, how: End): Promise<boolean> {
      let bundle = bundles[0] as Buffer;
      const world = await mirrorWorld([(...given) => storageReply(bundle)(...given)]);
      // Unfinished files do not count, because a killed run may leave them, and a later run removes them.
      const names = () => filesIn(world.folder).filter((name) => !name.endsWith(".partial"));
      const without = (name: string, ...endings: string[]) => endings.some((one) => !names().includes(name + one));
      const label = `operation ${at} ${how}`;
      const ending = new Ending(at, how, () => {
        const torn = names().filter(
          (name) => name.endsWith(".tar") && without(name.slice(0, -4), ".json", ".tar.sha256"),
        );
        expect(torn, `${label}: archives without the files beside them`).toEqual([]);
      });
      const mirrors = mirrorsWith((store) => ending.around(store));
      const context = { ...world.context, mirrors };
      const addTheirs = () => writeFileSync(join(world.folder, theirs), "theirs");
      // The first publication of a site needs an empty place. An archive may be published beside another user's file.
      if (layout === "archive") {
        addTheirs();
      }
      let saved: BundleMirrorState | undefined;

      /** Runs this work. If the run was ended early, runs the work again. */
      async function run(work: () => Promise<BundleMirrorState | undefined>, onFailure = () => {}): Promise<void> {
        const before = ending.hasCome;
        try {
          saved = await Promise.race([work(), ending.killed.promise]);
        } catch (error) {
          if (before || !ending.hasCome) {
            throw error;
          }
          if (error instanceof SavedFailure) {
            saved = error.state as BundleMirrorState;
          }
          onFailure();
          ending.killed = Promise.withResolvers();
          saved = await work();
        }
      }
      /** Asserts that the state names every publication that has written files, also a failed one. */
      function requireNoLitter(): void {
        const jobs = names().flatMap((name) => /^(job-\d)\.json$/.exec(name)?.[1] ?? []);
        const litter = jobs.filter((job) => saved === undefined || (job !== saved.jobId && job !== "job-0"));
        expect(how === "fails" ? litter : [], `${label}: files that no state knows`).toEqual([]);
      }
      const publish = (job: number) =>
        run(async () => {
          bundle = bundles[job] as Buffer;
          const inputs: BundleMirrorInputs = { ...world.inputs, jobId: `job-${job}`, layout };
          return saved === undefined || layout === "archive"
            ? (await bundleMirror.create(inputs, context, saved)).state
            : bundleMirror.update("id", saved, inputs, context);
        }, requireNoLitter);

      await publish(0);
      addTheirs();
      const first = saved as BundleMirrorState;
      await publish(1);
      const second = saved;
      if (layout === "archive") {
        await run(() => destroyMirror(first, { mirrors }).then(() => second));
      }
      const own =
        layout === "site"
          ? [...Object.keys(sites[1] as object), siteManifest]
          : ["", ".sha256"].map((ending) => `job-1.tar${ending}`).concat("job-1.json");
      expect(names(), label).toEqual([...own, theirs].sort());
      await run(() => destroyMirror(saved as BundleMirrorState, { mirrors }).then(() => saved));
      expect(names(), label).toEqual([theirs]);
      ending.end();
      schedules++;
      return ending.hasCome;
    }

    // Outside the campaign, only one way to end a run is tried at each operation.
    const step = campaign ? 1 : ends.length;
    const playAll = async (how: End, begin: number) => {
      for (let at = campaign ? 0 : begin; await play(at, how); at += step) {
        // The loop stops after the last operation, because `play` then returns false.
      }
    };
    await Promise.all(ends.map(playAll));
    expect(schedules).toBeGreaterThan(60 / step);
  },
);

/** For each life of a mirror, the run in which the unusual behaviour begins. Undefined: the seed selects the run. */
const wanted = campaign ? Array.from({ length: 6 }, () => occasions).flat() : [undefined];

describe.each(strangeStores)("a mirror at a %s with an unusual habit", (_, families, newPlace) => {
  const place = newPlace();

  it.each(Object.keys(families).map((name, at) => [name, at] as const))(
    "harms nothing, says what is wrong, and is complete after the next usual run: %s",
    async (name, at) => {
      const [random, family] = [seededRandom(campaignSeed() + at), families[name] as StoreFamily];
      const broken: object[] = [];
      let met = 0;
      for (const occasion of wanted) {
        const seed = random.whole(0, 1e9);
        const { text, troubles, isMet } = await playLife({ place: place(seed), family, occasion, seed });
        met += isMet ? 1 : 0;
        broken.push(...(troubles.length > 0 ? [{ text, troubles }] : []));
      }
      expect(broken).toEqual([]);
      // `npm test` plays only one life with each behaviour. If the behaviour does not appear in this life, `met` is 0.
      expect(campaign ? met : 1).toBeGreaterThan(0);
    },
    campaign ? 600_000 : 90_000,
  );
});
