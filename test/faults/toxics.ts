import { setTimeout as sleep } from "node:timers/promises";
import type { FaultyProxy, Toxic } from "../support/faultyProxy";
import type { Random } from "../support/random";

/** The faults of a connection. `jitter` is a latency that varies. */
export const troubles = ["latency", "jitter", "reset_peer", "slicer", "limit_data", "timeout", "bandwidth"] as const;
export type Trouble = (typeof troubles)[number];

/** A toxic, with the times in milliseconds at which it is added and removed. */
export interface Episode {
  toxic: Toxic;
  from: number;
  until: number;
}

const attributes: Record<Trouble, (random: Random) => Record<string, number>> = {
  latency: ({ whole }) => ({ latency: whole(20, 600), jitter: 0 }),
  jitter: ({ whole }) => {
    const latency = whole(20, 400);
    return { latency, jitter: whole(10, latency) };
  },
  reset_peer: ({ whole }) => ({ timeout: whole(0, 150) }),
  // `average_size` is in bytes, and `delay` in microseconds.
  slicer: ({ whole }) => ({ average_size: whole(8, 64), size_variation: whole(1, 6), delay: whole(0, 20_000) }),
  limit_data: ({ whole }) => ({ bytes: whole(0, 700) }),
  timeout: ({ whole }) => ({ timeout: whole(0, 500) }),
  // `rate` is in kB per second.
  bandwidth: ({ whole }) => ({ rate: whole(1, 3) }),
};

export function drawToxic(trouble: Trouble, random: Random): Toxic {
  return {
    type: trouble === "jitter" ? "latency" : trouble,
    stream: random.pick(["upstream", "downstream"]),
    toxicity: 0.3 + 0.7 * random.next(),
    attributes: attributes[trouble](random),
  };
}

/** Generates one to three episodes of one fault. Half of the episodes begin immediately. */
export function drawEpisodes(trouble: Trouble, random: Random): Episode[] {
  return Array.from({ length: random.whole(1, 3) }, () => {
    const from = random.next() < 0.5 ? 0 : random.whole(5, 600);
    return { toxic: drawToxic(trouble, random), from, until: from + random.whole(100, 4_000) };
  });
}

/** Adds and removes each toxic at the times that its episode gives. `stop` removes all toxics. */
export function playEpisodes(
  episodes: readonly Episode[],
  proxy: FaultyProxy,
): { begun: Promise<void>; stop(): Promise<void> } {
  const stopped = new AbortController();
  const pause = (time: number) => sleep(time, undefined, { signal: stopped.signal }).catch(() => {});
  const one = async ({ toxic, until }: Episode, from: number) => {
    await pause(from);
    if (!stopped.signal.aborted) {
      const name = await proxy.add(toxic);
      await pause(until - from);
      await proxy.remove(name);
    }
  };
  const early = episodes.filter(({ from }) => from === 0);
  const late = episodes.filter(({ from }) => from > 0);
  const added = early.map(async ({ toxic, until }) => ({ name: await proxy.add(toxic), until }));
  const all = [
    ...added.map(async (adding) => {
      const { name, until } = await adding;
      await pause(until);
      await proxy.remove(name);
    }),
    ...late.map((episode) => one(episode, episode.from)),
  ];
  const ended = Promise.all(all);
  return {
    begun: Promise.all(added).then(() => {}),
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}
