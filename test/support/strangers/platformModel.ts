import type { FakeClock } from "../fakeClock";
import { answer, type Loopback, serve } from "../loopback";
import { storageReply } from "../mirror/storage";
import { answeredRoutes, type RouteAnswer, type RouteName } from "./routeAnswers";

/** A platform in memory, with a fake clock. */
export interface PlatformModel {
  server: Loopback;
  jobs: string[];
  mints: number;
  messages: number;
  asked: RouteName[];
  /** Returns an unusual answer of a route, or undefined if the route gives its usual answer. */
  habit(route: RouteName): RouteAnswer | undefined;
  /** Called before each request. If it returns true, the connection breaks before any answer. */
  breaks(): boolean;
  /** For each route, the earliest time at which the same run may request the route again. */
  notBefore: Map<RouteName, number>;
  troubles: string[];
}

/** The time that a job takes, and the life of a link, in milliseconds. */
const [jobTime, linkLife] = [20_000, 3_600_000];

const forms: readonly (readonly [RouteName, RegExp])[] = [
  [answeredRoutes[0], /^POST \/v1\/static-export\/jobs$/],
  [answeredRoutes[1], /^GET \/v1\/static-export\/jobs\/[^/]+$/],
  [answeredRoutes[2], /^POST \/v1\/static-export\/jobs\/[^/]+\/bundle$/],
  [answeredRoutes[3], /^POST \/v2\/agent\/docs\/job\/agent-1\/message$/],
  [answeredRoutes[4], /^GET \/v2\/agent\/docs\/job\/agent-1$/],
];

export async function platformModel(clock: FakeClock, bundle: Buffer): Promise<PlatformModel> {
  const begins = new Map<string, number>();
  const agentJob = {
    id: "agent-1",
    source: { repository: "https://git.example.com/docs/site", ref: "main" },
    model: "agent-model",
    prLink: null,
    createdAt: "2026-01-31T10:00:00Z",
    archivedAt: null,
  };

  const act = (route: RouteName, url: string): object | undefined => {
    const [, jobId = ""] = /\/jobs\/([^/]+)/.exec(url) ?? [];
    const begin = begins.get(jobId) ?? Number.NaN;
    switch (route) {
      case "startExport": {
        const id = `job-${model.jobs.length + 1}`;
        model.jobs.push(id);
        begins.set(id, clock.now());
        return { jobId: id, status: "queued" };
      }
      case "getExport": {
        const isDone = clock.now() >= begin + jobTime;
        return Number.isNaN(begin)
          ? undefined
          : { jobId, status: isDone ? "completed" : "running", ...(isDone && { pageCount: 7 }) };
      }
      case "generateBundle": {
        if (!(clock.now() >= begin + jobTime)) {
          return undefined;
        }
        model.mints += 1;
        const expiresAt = new Date(clock.now() + linkLife).toISOString();
        return { bundleUrl: `${model.server.url}/files/${jobId}.tar.gz?sig=${model.mints}`, expiresAt };
      }
      case "sendMessage":
        model.messages += 1;
        return { ...agentJob, status: "active" };
      default:
        return { ...agentJob, status: "completed" };
    }
  };

  const server = await serve((response, exchange) => {
    const { method, url } = exchange.request;
    if (url.startsWith("/files/")) {
      storageReply(bundle, { etag: '"one"' })(response, exchange);
      return;
    }
    const route = forms.find(([, form]) => form.test(`${method} ${url}`))?.[0];
    if (route === undefined) {
      model.troubles.push(`a request that the API does not have: ${method} ${url}`);
      answer(404, { error: "no such route" })(response, exchange);
      return;
    }
    if (model.breaks()) {
      exchange.socket.destroy();
      return;
    }
    model.asked.push(route);
    // Dates in headers are exact to the second, so a request may come up to one second too early.
    const early = (model.notBefore.get(route) ?? 0) - clock.now();
    if (early > 1_000) {
      model.troubles.push(`${route} was requested ${early} ms before the time that the platform named`);
    }
    model.notBefore.delete(route);
    response.setHeader("date", new Date(clock.now()).toUTCString());
    const strange = model.habit(route);
    if (strange === undefined) {
      const body = act(route, url);
      answer(body === undefined ? 404 : 200, body ?? { error: "no such job" })(response, exchange);
      return;
    }
    if (strange.acts) {
      act(route, url);
    }
    if (strange.rest !== undefined) {
      model.notBefore.set(route, clock.now() + strange.rest);
    }
    response.writeHead(strange.status, strange.headers);
    response.end(strange.body);
  });
  const model: PlatformModel = {
    server,
    jobs: [],
    mints: 0,
    messages: 0,
    asked: [],
    habit: () => undefined,
    breaks: () => false,
    notBefore: new Map(),
    troubles: [],
  };
  return model;
}
