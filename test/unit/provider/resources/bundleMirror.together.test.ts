import { randomUUID } from "node:crypto";
import { setTimeout as timer } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { mirrorIn } from "../../../../provider/mirror/openMirror";
import { Places } from "../../../../provider/mirror/places";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { loadMirrorLibrary, type MirrorLibrary } from "../../../../provider/resources/mirrorLibrary";
import type { FileDestination } from "../../../../provider/storage/file/destination";
import { openStore } from "../../../../provider/storage/openStore";
import { DestinationError } from "../../../../provider/support/errors";
import { type Clock, systemClock } from "../../../../provider/support/time/clock";
import { campaign } from "../../../support/campaign";
import type { Reply } from "../../../support/loopback";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { craneText, testRegistry } from "../../../support/mirror/ociRegistry";
import { first, second } from "../../../support/mirror/siteWorld";
import { filesIn, storage } from "../../../support/mirror/storage";
import { campaignSeed, type Random, seededRandom } from "../../../support/random";
import { archiveWith } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

/** So many orders are drawn at each place; in a folder, which is quick, three times as many. */
const orders = campaign ? 30 : 2;
const roundsOfOrder = 4;

interface TestPlace {
  /** Returns undefined if the folder of the world is the destination. */
  destination(): string | undefined;
  /** Returns the names of the files that a mirror has put there. */
  names(world: MirrorWorld): Promise<string[]>;
}

const registry = testRegistry();

const places: readonly (readonly [string, () => TestPlace])[] = [
  ["file", () => ({ destination: () => undefined, names: async ({ folder }) => filesIn(folder) })],
  ...eachObjectPlace.map(([scheme, placeOfTest]): [string, () => TestPlace] => [
    scheme,
    () => {
      const place = placeOfTest();
      return { destination: () => place.destination("docs"), names: () => place.names() };
    },
  ]),
  [
    "oci",
    () => ({
      destination: () => registry.destination,
      names: async () => (await craneText("ls", registry.name).catch(() => "")).split("\n").filter((tag) => tag !== ""),
    }),
  ],
];

/** Makes each mirror work as in a process of its own: it sees the others at the destination only. Time passes faster. */
function inProcessesOfTheirOwn(world: MirrorWorld): MirrorWorld {
  const sleep: Clock["sleep"] = (ms, signal) => systemClock.sleep(ms / 25, signal);
  const holder = { clock: { ...systemClock, sleep }, newId: randomUUID, name: "", hasEnded: () => false };
  const mirrors = async (): Promise<MirrorLibrary> => ({
    ...(await loadMirrorLibrary()),
    openMirror: (destination, layout, options) =>
      mirrorIn(openStore(destination as FileDestination, options), {
        destination,
        layout,
        places: new Places(),
        holder,
      }),
  });
  return { ...world, context: { ...world.context, mirrors } };
}

/** A platform with two jobs, whose archives arrive after times that are drawn. */
async function twoJobsTogether(destination: string | undefined, layout: BundleMirrorInputs["layout"], random: Random) {
  const archives: Record<string, Buffer> = {
    "job-1": await archiveWith("tar.gz", first),
    "job-2": await archiveWith("tar.gz", second),
  };
  const reply: Reply = async (response, received) => {
    const bytes = archives[(received.request.url ?? "").slice(1)];
    await timer(random.whole(0, 15));
    storage(bytes ?? Buffer.alloc(0))(response, received);
  };
  const world = await mirrorWorld([reply]);
  const { platform, server } = world;
  platform.links = [() => ({ bundleUrl: `${server.url}/${platform.calls.at(-1)?.replace("bundle ", "")}` })];
  return { ...world, inputs: { ...world.inputs, layout, ...(destination !== undefined && { destination }) } };
}

/** Creates a mirror. @returns undefined if the place is refused. */
const created = (world: MirrorWorld, jobId: string) =>
  mirrored(world, { jobId }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(DestinationError);
    return undefined;
  });

async function expectNothingToDo(world: MirrorWorld, states: readonly BundleMirrorState[]): Promise<void> {
  for (const state of states) {
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
  }
}

/** Draws which mirrors are made, repaired and removed at the same time, and checks what is there after each round. */
async function playOrder(world: MirrorWorld, random: Random): Promise<void> {
  const isSite = world.inputs.layout === "site";
  let live: BundleMirrorState[] = [];
  for (let round = 0; round < roundsOfOrder; round++) {
    const jobs = Array.from({ length: random.whole(0, 3) }, () => random.pick(["job-1", "job-1", "job-2"]));
    const drawn = live.map((state) => [state, random.pick(["stays", "is repaired", "goes", "goes"])] as const);
    const of = (kind: string) => drawn.flatMap(([state, fate]) => (fate === kind ? [state] : []));
    const repair = (state: BundleMirrorState) =>
      bundleMirror.update("id", { ...state, __differs: true }, { ...world.inputs, jobId: state.jobId }, world.context);
    const [made, repaired] = await Promise.all([
      Promise.all(jobs.map((jobId) => created(world, jobId))),
      Promise.all(of("is repaired").map(repair)),
      Promise.all(of("goes").map((state) => destroyed(state, world.context))),
    ]);
    const before = live.map(({ jobId }) => jobId);
    live = [...of("stays"), ...repaired, ...made.filter((state) => state !== undefined)];
    const refused = jobs.filter((_, index) => made[index] === undefined);
    expect(refused.every((jobId) => isSite && [...before, ...jobs].some((other) => other !== jobId))).toBe(true);
    expect(new Set(live.map(({ jobId }) => jobId)).size).toBeLessThanOrEqual(isSite ? 1 : 2);
    await expectNothingToDo(world, live);
  }
  await Promise.all(live.map((state) => destroyed(state, world.context)));
}

/**
 * In a registry, processes do not see each other. In one process, mirrors wait for each other by their places, whatever
 * the storage is: a folder stands for the object storages.
 */
const apart: Readonly<Record<string, readonly boolean[]>> = { file: [false, true], oci: [false] };
const kinds = places.flatMap(([scheme, placeOf]) =>
  (apart[scheme] ?? [true]).map((isApart) => ({ scheme, placeOf, isApart })),
);

describe.each(kinds)(
  "mirrors that are made and removed at the same time, at a place of the scheme $scheme (processes of their own: $isApart),",
  ({ scheme, placeOf, isApart }) => {
    const place = placeOf();
    const twoJobs = async (...drawn: Parameters<typeof twoJobsTogether>) => {
      const world = await twoJobsTogether(...drawn);
      return isApart ? inProcessesOfTheirOwn(world) : world;
    };

    describe.each(["archive", "site"] as const)("layout %s", (layout) => {
      it("share it: no run after it has anything to do, and the last one removes the files", async () => {
        const world = await twoJobs(place.destination(), layout, seededRandom(1));
        const jobs = ["job-1", "job-1", "job-1"];
        const [one, ...others] = await Promise.all(jobs.map((jobId) => mirrored(world, { jobId })));
        await expectNothingToDo(world, others);
        await destroyed(one as BundleMirrorState, world.context);
        await expectNothingToDo(world, others);
        await Promise.all(others.map((state) => destroyed(state, world.context)));
        expect(await place.names(world)).toEqual([]);
      });

      it("share it in every order that is drawn", async () => {
        for (let order = 0; order < (scheme === "file" && !isApart ? 3 * orders : orders); order++) {
          const random = seededRandom(campaignSeed() + order);
          const world = await twoJobs(place.destination(), layout, random);
          try {
            await playOrder(world, random);
            expect(await place.names(world)).toEqual([]);
          } catch (error) {
            throw new Error(`CAMPAIGN_SEED=${campaignSeed()}, order ${order}`, { cause: error });
          }
        }
      });
    });

    it("are refused where sites of two jobs would be mixed, and the other one stays whole", async () => {
      const world = await twoJobs(place.destination(), "site", seededRandom(2));
      const made = await Promise.all(["job-1", "job-2"].map((jobId) => created(world, jobId)));
      const whole = made.filter((state) => state !== undefined);
      expect(whole).toHaveLength(1);
      await expectNothingToDo(world, whole);
      await Promise.all(whole.map((state) => destroyed(state, world.context)));
      expect(await place.names(world)).toEqual([]);
    });
  },
);
