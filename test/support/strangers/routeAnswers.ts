import type { Random } from "../random";
import { drawPace } from "./pace";
import { drawRefusal } from "./refusals";

export const answeredRoutes = ["startExport", "getExport", "generateBundle", "sendMessage", "getAgentJob"] as const;
export type RouteName = (typeof answeredRoutes)[number];

export interface RouteAnswer {
  text: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  /** True if the platform does what was requested, and only its answer is unusual. */
  acts: boolean;
  /** The pause in milliseconds that the answer asks for. Undefined: no pause. */
  rest: number | undefined;
  /** True if this answer, given once or twice, must not make a run fail. */
  passes: boolean;
}

export type RouteFamily = (random: Random, now: number, route: RouteName) => RouteAnswer;

/** The requests that must not be repeated, because a repetition could start a second job or send a second message. */
export const sentOnce: readonly RouteName[] = ["startExport", "sendMessage"];

const pages = [
  "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in</body></html>",
  "<html>\n<h1>Bad Gateway</h1></html>",
  "  <!-- cached -->\n<HTML><body>Docs</body></HTML>",
  `<html>${"<p>x</p>".repeat(30_000)}</html>`,
] as const;

const json = { "content-type": "application/json" };

export const routeFamilies: Readonly<Record<string, RouteFamily>> = {
  "429 in any manner": (random, now) => {
    const { manner, headers, rest } = drawPace(random, now);
    const { framework, body } = drawRefusal(random, random.whole(0, 20), 429);
    return {
      text: `429, ${manner} ${JSON.stringify(headers)}, ${framework}`,
      status: 429,
      headers: { ...json, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      acts: false,
      rest,
      passes: true,
    };
  },
  "5xx in any words": (random, now, route) => {
    const status = random.pick([500, 502, 503, 504]);
    const { manner, headers, restOfGoodAnswer } = drawPace(random, now);
    const pace = random.next() < 0.4 ? headers : {};
    const isNamed = pace === headers && restOfGoodAnswer !== undefined;
    const { framework, body } = drawRefusal(random, random.whole(0, 20), status);
    const [words, text, type] = random.pick<readonly [string, string, string]>([
      [framework, typeof body === "string" ? body : JSON.stringify(body), "application/json"],
      ["a page", random.pick(pages), "text/html"],
      ["nothing", "", "text/plain"],
    ]);
    return {
      text: `${status}, ${words}${pace === headers ? `, ${manner} ${JSON.stringify(headers)}` : ""}`,
      status,
      headers: { "content-type": type, ...pace },
      body: text,
      // A 503 with a time to wait means that the platform has not done what was requested.
      acts: !(status === 503 && isNamed) && random.next() < 0.5,
      rest: isNamed ? restOfGoodAnswer : undefined,
      passes: !sentOnce.includes(route),
    };
  },
  "page of another server": (random, _, route) => {
    const status = random.pick([200, 200, 202, 403, 404, 405]);
    return {
      text: `${status}, a page`,
      status,
      headers: { "content-type": random.pick(["text/html", "text/html; charset=utf-8", "application/json"]) },
      body: random.pick(pages),
      acts: false,
      rest: undefined,
      // A gateway may answer with its own page for a moment. So the provider requests a link again.
      passes: status < 300 && route === "generateBundle",
    };
  },
  "202 that nobody expects": (random, now, route) => {
    const { manner, headers, restOfGoodAnswer } = drawPace(random, now);
    const pace = random.next() < 0.4 ? headers : {};
    const body = random.pick([
      "",
      "{}",
      "null",
      "[]",
      '{"status":"accepted"}',
      '{"status":"pending","id":"op-1"}',
      '{"operation":{"id":"op-1","done":false}}',
      '{"status":"queued","href":"/v1/operations/7"}',
      '"accepted"',
    ]);
    return {
      text: `202, ${body}${pace === headers ? `, ${manner} ${JSON.stringify(headers)}` : ""}`,
      status: 202,
      headers: { ...json, ...pace },
      body,
      acts: random.next() < 0.5,
      rest: pace === headers ? restOfGoodAnswer : undefined,
      // A 202 may mean that the platform begins to pack the bundle only now. So the provider requests the link again.
      passes: route === "generateBundle",
    };
  },
};
