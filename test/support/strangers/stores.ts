import type { Random } from "../random";
import { drawPace } from "./pace";
import type { StoreAnswer, StoreHabit, StoreRequest } from "./storeFront";

export interface DrawnStore {
  text: string;
  habit: StoreHabit;
  /** The expected end of a run in which the store shows this behaviour. */
  ends: "well" | "refused" | "either";
  /** A pattern that the error's text must match. */
  says?: RegExp;
  /** The runs in which the store can show this behaviour. Default: all. */
  occasions?: readonly [Occasion, ...Occasion[]];
  /** The only layout with which the store can show this behaviour. Default: both. */
  layout?: "archive" | "site";
}

/** The runs in which the unusual behaviour of a store may begin. */
export const occasions = ["first run", "unchanged run", "renewal", "removal", "kill"] as const;
export type Occasion = (typeof occasions)[number];

export interface StoreDraw {
  random: Random;
  /** Secrets that no error may show. A server may repeat them in an answer. */
  secrets: readonly string[];
}

export type StoreFamily = (draw: StoreDraw) => DrawnStore;
export type StoreFamilies = Readonly<Record<string, StoreFamily>>;

/** The effect of a request in any protocol. `look` reads the facts about one object, but not its content. */
export type StoreAct = "read" | "list" | "look" | "write" | "remove";
export type ActOf = (request: StoreRequest) => StoreAct | undefined;

/** @param isList returns true for the address of a request that lists objects. */
export function objectActOf(isList: (url: string) => boolean): ActOf {
  return ({ method, url }) => {
    const acts = { GET: isList(url) ? "list" : "read", HEAD: "look", PUT: "write", DELETE: "remove" } as const;
    return acts[method as keyof typeof acts];
  };
}

/**
 * Returns a function that makes a behaviour. Requests whose effects are in `acts` get `answer`. Without `acts`, all
 * requests get `answer`.
 */
export function refusalsOf(actOf: ActOf) {
  return (answer: StoreAnswer, ...acts: StoreAct[]): StoreHabit => ({
    request: (request) => (acts.length === 0 || acts.includes(actOf(request) ?? "read") ? answer : undefined),
  });
}

const pages = ["<!DOCTYPE html><html><body>Sign in</body></html>", "<html>\n<h1>502</h1></html>"] as const;

/** Makes the body of a gateway or a proxy, which does not follow the server's own protocol. */
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

/** Makes a family of servers that are busy for some requests of one kind. */
export function busyFamily(actOf: ActOf, refusals: readonly [StoreAnswer, ...StoreAnswer[]]): StoreFamily {
  return ({ random }) => {
    const act = random.pick(["read", "list", "look", "write", "remove"] as const);
    const [times, refusal] = [random.whole(1, 6), random.pick(refusals)];
    // The server checks the times of signatures by its own clock, so its answers must not name another time.
    const pace = drawPace(random, Math.floor(Date.now() / 1_000) * 1_000);
    let count = 0;
    return {
      text: `${act}: ${refusal.status}, ${times} times, ${JSON.stringify(pace.headers)}`,
      habit: {
        request: (request) =>
          actOf(request) === act && count++ < times
            ? { ...refusal, headers: { ...refusal.headers, ...pace.headers } }
            : undefined,
      },
      // The provider repeats a request at least three times, so up to three refusals do no harm.
      ends: times <= 3 ? "well" : "either",
    };
  };
}

/** Makes a family of servers whose errors do not follow the protocol. */
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
