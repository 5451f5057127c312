import type { Random } from "../random";
import { drawPace } from "./pace";
import type { StoreAnswer, StoreHabit, StoreRequest } from "./storeFront";

/** A store with one unusual habit. */
export interface DrawnStore {
  text: string;
  habit: StoreHabit;
  /** How a run ends that meets the habit. Whatever it is, no content of others is lost. */
  ends: "well" | "refused" | "either";
  /** A part of the error. */
  says?: RegExp;
  /** The runs that can meet the habit. Default: all. */
  occasions?: readonly [Occasion, ...Occasion[]];
  /** The only layout that can meet the habit. */
  layout?: "archive" | "site";
}

/** The runs in which a store may show its habit for the first time. */
export const occasions = ["first run", "unchanged run", "renewal", "removal", "kill"] as const;
export type Occasion = (typeof occasions)[number];

/** The parameters of a draw. */
export interface StoreDraw {
  random: Random;
  /** The clock of the run. */
  now(): number;
  /** Texts that no error may show. A server may repeat them. */
  secrets: readonly string[];
}

export type StoreFamily = (draw: StoreDraw) => DrawnStore;
export type StoreFamilies = Readonly<Record<string, StoreFamily>>;

/** The effect of a request. Each kind of server has its own forms. */
export type StoreAct = "read" | "list" | "look" | "write" | "remove";
export type ActOf = (request: StoreRequest) => StoreAct | undefined;

const pages = ["<!DOCTYPE html><html><body>Sign in</body></html>", "<html>\n<h1>502</h1></html>"] as const;

/** A body without the words of the server's own protocol, as gateways and proxies write it. */
export function drawForeignBody(random: Random): Pick<StoreAnswer, "headers" | "body"> {
  const of = (type: string, body: string | Buffer) => ({ headers: { "content-type": type }, body });
  return random.pick([
    () => of("text/html", random.pick(pages)),
    () => of("application/json", '{"error":{"code":"nope","message":"no"}}'),
    () => of("application/json", "[]"),
    () => of("text/plain", "upstream connect error"),
    () => of("text/plain", ""),
    () => of("application/xml", "<?xml version='1.0'?><Oops><Deep/></Oops>"),
    () => of("application/xml", "<Error><Code>Half"),
    () => of("application/octet-stream", Buffer.from([0, 255, 254, 13, 10])),
    () => of("text/html", "<p>x</p>".repeat(1_000_000)),
  ])();
}

/** A server that is busy for some requests of one kind. */
export function busyFamily(actOf: ActOf, refusals: readonly [StoreAnswer, ...StoreAnswer[]]): StoreFamily {
  return ({ random, now }) => {
    const act = random.pick(["read", "list", "look", "write", "remove"] as const);
    const [times, refusal] = [random.whole(1, 6), random.pick(refusals)];
    const pace = drawPace(random, Math.floor(now() / 1_000) * 1_000);
    let count = 0;
    return {
      text: `${act}: ${refusal.status}, ${times} times, ${JSON.stringify(pace.headers)}`,
      habit: {
        request: (request) =>
          actOf(request) === act && count++ < times
            ? { ...refusal, headers: { ...refusal.headers, ...pace.headers, date: new Date(now()).toUTCString() } }
            : undefined,
      },
      // Three repeats are enough for this number of refusals, whether they name a time or not.
      ends: times <= 3 ? "well" : "either",
    };
  };
}

/** A server, or a proxy before it, whose error has another body than the protocol's. */
export function foreignErrorFamily(actOf: ActOf): StoreFamily {
  return ({ random }) => {
    const act = random.pick(["read", "list", "look", "write", "remove"] as const);
    const [status, foreign] = [random.pick([400, 401, 403, 404, 405, 409, 500, 502, 503]), drawForeignBody(random)];
    return {
      text: `${act}: ${status}, ${String(foreign.body).slice(0, 40)}`,
      habit: { request: (request) => (actOf(request) === act ? { status, ...foreign } : undefined) },
      ends: "either",
    };
  };
}
