import http from "node:http";
import { startPlatform } from "../../simulator/index";
import { FaultyProxy } from "../support/faultyProxy";
import { seededRandom } from "../support/random";
import { quiet, type Sockets } from "./sockets";
import { drawEpisodes, type Episode, playEpisodes, type Trouble, troubles } from "./toxics";
import { type RunEnd, User } from "./user";

/** The result of one life: an export and its link, through a proxy with a fault. */
export interface ToxicLife {
  number: number;
  trouble: Trouble;
  episodes: Episode[];
  runs: RunEnd[];
  /** The number of accepted jobs. `first` is the first job's id, and `last` is the id in the last state. */
  accepted: number;
  first: string | undefined;
  last: string | undefined;
  status: string | undefined;
  /** The HTTP status of a request for the link. It is undefined if the life has no link. */
  link: number | undefined;
  requests: number;
  /** In milliseconds. */
  time: number;
  /** The client's open connections before the client is closed. */
  held: number;
  /** The client's open connections after the client was closed. */
  left: number;
  /** How often the proxy's process hung and was restarted. */
  hangs: number;
}

/** The pause after a failed run, in milliseconds. */
const pause = 300;
/** The time in milliseconds after which a life begins no further run. */
export const deadline = 20_000;

/** All lives share these counters of connections. */
export interface Watched {
  platforms: Sockets;
  clients: Sockets;
}

export async function liveThroughToxics(
  number: number,
  seed: number,
  { platforms, clients }: Watched,
): Promise<ToxicLife> {
  const random = seededRandom(seed * 10_007 + number);
  const trouble = troubles[number % troubles.length] ?? "latency";
  const episodes = drawEpisodes(trouble, random);
  const platform = await startPlatform({ queueTime: 0, jobTime: random.whole(0, 300), content: __dirname });
  const proxy = await FaultyProxy.start(platform.baseUrl);
  const rest = () => quiet(platforms, portOf(platform.baseUrl));
  // With few retries, more errors reach the user.
  const settings = { maxRetries: random.pick([6, 6, 2, 0]) };
  const user = new User({ platform, baseUrl: proxy.url, rest, settings, random: random.next });
  const playing = playEpisodes(episodes, proxy);
  await playing.begun;
  const begun = performance.now();
  await user.runUntilGood(pause, deadline);
  const time = Math.round(performance.now() - begun);
  await playing.stop();
  const link = user.link === undefined ? undefined : await statusOf(user.link);
  const held = clients.count(portOf(proxy.url));
  await user.close();
  const left = await clients.untilNone(portOf(proxy.url), 1_000);
  await proxy.close();
  const { state, runs } = user;
  const [first] = platform.jobs.list();
  const requests = platform.requests.filter(({ operation }) => operation !== "download").length;
  const accepted = platform.starts;
  await platform.close();
  return {
    ...{ number, trouble, episodes, runs, accepted, link, requests, time, held, left, hangs: proxy.hangs },
    ...{ first: first?.jobId, last: state?.jobId, status: state?.status },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Sends a request for a link's first byte on a new connection. Returns the HTTP status. */
function statusOf(link: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(link, { agent: false, headers: { range: "bytes=0-0" } }, (response) => {
      response.resume().on("close", () => resolve(response.statusCode));
    });
    request.on("error", reject);
  });
}

/** Runs `count` tasks in order, at most `atOnce` of them at the same time. */
export async function inPool<T>(count: number, atOnce: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      made[index] = await make(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return made;
}
