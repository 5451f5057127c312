import { chmodSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { RawValues } from "../../../provider/definitions/values";
import { create, update } from "../../../provider/engine/apply";
import { check } from "../../../provider/engine/check";
import { plan } from "../../../provider/engine/plan";
import { read } from "../../../provider/engine/read";
import { systemDependencies } from "../../../provider/engine/runtime";
import type { JobPresenceInState } from "../../../provider/engine/session";
import { identifyThisProcess } from "../../../provider/journal/ownerProcess";
import type { PlatformClient } from "../../../provider/platform/client";
import { type ResourceTypeName, resources } from "../../../provider/resources/index";
import type { Resource } from "../../../provider/resources/resource";
import { CheckedSettings } from "../../../provider/settings/settings";
import { DocsPlatformError } from "../../../provider/support/errors";
import { timeLimits } from "../../../provider/support/time/timeLimits";
import { archiveWith } from "../../unit/provider/mirror/archive/archives";
import { clientFor, testKey } from "../clientUnderTest";
import { FakeClock } from "../fakeClock";
import { contentIn } from "../mirror/storage";
import { seededRandom } from "../random";
import { temporaryFolder } from "../temporaryFolder";
import { TestSession } from "../testSession";
import { platformModel } from "./platformModel";
import { type RouteFamily, type RouteName, sentOnce } from "./routeAnswers";

/** The runs in which a route may give unusual answers. */
export const runs = ["first run", "unchanged run", "renewal", "mirror", "kill"] as const;
export type LifeRun = (typeof runs)[number];

export interface PlatformLife {
  route: RouteName;
  run: LifeRun;
  family: RouteFamily;
  seed: number;
}

const page = "<h1>One</h1>";
const bundle = archiveWith("tar.gz", [["index.html", page]]);
const begin = Date.parse("2026-03-01T00:00:00.000Z");
const order = ["StaticExport", "ExportBundle", "BundleMirror", "AgentMessage"] as const;
const domain = "docs.example.com";

/** The limits of one run: the number of requests, and the sum of all pauses in milliseconds. */
const most = { requests: 300, rest: 4 * 3_600_000 };

interface Saved {
  id: string;
  state: RawValues;
}

class LifeSession extends TestSession {
  constructor(
    runtime: typeof systemDependencies,
    private readonly client: PlatformClient,
    private readonly saved: ReadonlyMap<ResourceTypeName, Saved>,
  ) {
    super(runtime);
  }

  override async connect(): Promise<PlatformClient> {
    return this.client;
  }

  override async savedInState(_: string, id: string): Promise<JobPresenceInState> {
    return [...this.saved.values()].some((one) => one.id === id) ? "saved" : "unsaved";
  }
}

/** Plays the life of one stack. In one run, one route gives an unusual answer, once or several times. */
export async function playPlatformLife({ route, run: strangeRun, family, seed }: PlatformLife) {
  const random = seededRandom(seed);
  const clock = new FakeClock(begin);
  const model = await platformModel(clock, await bundle);
  const { troubles } = model;
  const require = (isTrue: boolean, text: string) => void (isTrue || troubles.push(text));
  const folder = temporaryFolder();
  const [journal, copies] = [join(folder, "journal"), join(folder, "copies")];
  const environment = {
    DOCS_PLATFORM_API_KEY: testKey,
    DOCS_PLATFORM_BASE_URL: model.server.url,
    DOCS_PLATFORM_JOURNAL: journal,
    DOCS_PLATFORM_PROJECT_ID: "docs",
  };
  const settings = new CheckedSettings({ environment });
  const client = clientFor(model.server.url, {
    clock,
    random: () => random.next(),
    waitsOutLimits: true,
    maxRetries: 4,
    requestTimeout: 30_000,
  });
  let saved = new Map<ResourceTypeName, Saved>();
  let adopted: { jobId?: string } = {};
  let processes = 0;
  const waits = random.next() < 0.5;

  const newSession = () => {
    let isEnding = false;
    processes += 1;
    model.notBefore.clear();
    const self = (engine: string | undefined) => ({ ...identifyThisProcess(engine), pid: 1_000_000 + processes });
    const limitedClock = Object.assign(Object.create(clock) as FakeClock, {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      // On the fake clock, the time limit at the end of a run would pass at once. So the session waits without a limit.
      sleep: (ms: number, signal?: AbortSignal) =>
        isEnding && ms === timeLimits.runEnd ? new Promise<void>(() => {}) : clock.sleep(ms, signal),
    });
    const runtime = {
      ...systemDependencies,
      clock: limitedClock,
      self,
      isRunning: () => false,
      isAtWork: async () => false,
    };
    const session = new LifeSession(runtime, client, saved);
    return Object.assign(session, {
      close: () => {
        isEnding = true;
        return session.end();
      },
    });
  };
  const given = (kind: ResourceTypeName, jobId: string): RawValues =>
    ({
      StaticExport: { domain, ...adopted },
      ExportBundle: { jobId },
      BundleMirror: { jobId, layout: "site", destination: pathToFileURL(copies).href },
      AgentMessage: { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: waits },
    })[kind as (typeof order)[number]] ?? {};
  const operationOn = (kind: ResourceTypeName, session: LifeSession) => {
    const jobId = saved.get("StaticExport")?.id ?? "";
    const { inputs, failures } = check(resources[kind] as Resource, given(kind, jobId), settings);
    require(failures.length === 0, `${kind}: ${failures.map(({ reason }) => reason)}`);
    return { address: `urn:${kind}`, settings, signal: session.signal, inputs };
  };

  /** Runs `up` for these resources. Skips the link and the mirror after an error, or if no export is saved. */
  const up = async (kinds: readonly ResourceTypeName[] = order): Promise<Error[]> => {
    const session = newSession();
    const errors: Error[] = [];
    for (const kind of kinds) {
      const resource = resources[kind] as Resource;
      const before = saved.get(kind);
      const lacksJob = errors.length > 0 || !saved.has("StaticExport");
      if ((kind === "ExportBundle" || kind === "BundleMirror") && lacksJob) {
        continue;
      }
      const operation = operationOn(kind, session);
      try {
        const planned = before && plan(resource, { ...operation, ...before }, session);
        require(planned?.action !== "replace", `${kind} would be replaced: ${planned?.replaces} ${planned?.reason}`);
        const outcome =
          before === undefined
            ? await create(resource, operation, session)
            : planned?.action === "update"
              ? await update(resource, { ...operation, ...before }, session)
              : undefined;
        if (outcome !== undefined) {
          saved.set(kind, { id: outcome.id, state: outcome.state });
          errors.push(...(outcome.problem === undefined ? [] : [outcome.problem]));
        }
      } catch (error) {
        errors.push(error as Error);
      }
    }
    await session.close();
    return errors;
  };
  const refresh = async (): Promise<Error[]> => {
    const session = newSession();
    const errors: Error[] = [];
    for (const [kind, before] of [...saved]) {
      const resource = resources[kind] as Resource;
      try {
        const state = await read(resource, { ...operationOn(kind, session), ...before }, session);
        require(state !== undefined, `${kind} is missing after a refresh`);
        saved.set(kind, { ...before, state: state ?? before.state });
      } catch (error) {
        errors.push(error as Error);
      }
    }
    await session.close();
    return errors;
  };
  const expectNoChange = async (what: string) => {
    const session = newSession();
    const sent = model.asked.length;
    for (const [kind, before] of saved) {
      const planned = plan(resources[kind] as Resource, { ...operationOn(kind, session), ...before }, session);
      require(planned.action === "none", `${what}: ${kind} has the plan ${planned.action}, ${planned.reason}`);
    }
    await session.close();
    require(model.asked.length === sent, `${what}: a plan sends requests`);
  };
  const during = async (what: string, step: () => Promise<Error[]>): Promise<Error[]> => {
    const [requests, since] = [model.asked.length, clock.now()];
    const errors = await step();
    const [sent, rested] = [model.asked.length - requests, clock.now() - since];
    require(sent <= most.requests && rested <= most.rest, `${what}: ${sent} requests, ${rested} ms`);
    for (const error of errors) {
      const isPlain = /\n {2}Exists now: .+\n {2}Next run: .+\n {2}What to do: ./.test(error.message);
      const isOwn = error instanceof DocsPlatformError && error.code !== "DOCS_INTERNAL";
      require(isOwn && isPlain && error.message.length < 5_000, `${what}: an error without its parts: ${error}`);
      require(!/sig=|svc_/.test(error.message), `${what}: a secret is shown: ${error.message}`);
    }
    require(model.jobs.length <= 1, `${what}: ${model.jobs.length} jobs were started`);
    require(model.messages <= 1, `${what}: ${model.messages} messages were sent`);
    return errors;
  };

  // The headers contain dates by the platform's clock, so each answer is made anew, with the same random choices.
  const answerAt = (now: number) => family(seededRandom(seed + 1), Math.floor(now / 1_000) * 1_000, route);
  const drawn = answerAt(begin);
  const times = random.pick([1, 2, Number.POSITIVE_INFINITY]);
  let answers = 0;
  const texts = new Set<string>();
  const habit = (asked: RouteName) => {
    if (asked !== route || answers >= times) {
      return undefined;
    }
    answers += 1;
    const answer = answerAt(clock.now());
    texts.add(answer.text.replace(/"date":"[^"]*",?/, ""));
    return { ...answer, acts: answer.acts && answers === 1 };
  };

  if (strangeRun !== "first run" && strangeRun !== "kill") {
    const errors = await during("usual first run", () => up(strangeRun === "mirror" ? order.slice(0, 2) : order));
    require(errors.length === 0, `usual first run: ${errors}`);
  }
  let errors: Error[] = [];
  model.habit = habit;
  if (strangeRun === "first run") {
    errors = await during("first run", up);
  } else if (strangeRun === "unchanged run") {
    const before = structuredClone(saved.get("StaticExport"));
    errors = await during("unchanged run", refresh);
    require(isDeepStrictEqual(saved.get("StaticExport"), before), "unchanged run: the state of the export changed");
    await expectNoChange("unchanged run");
  } else if (strangeRun === "renewal") {
    clock.pass(2 * 3_600_000);
    errors = await during("renewal", up);
  } else if (strangeRun === "mirror") {
    errors = await during("mirror", () => up(["BundleMirror", "AgentMessage"]));
  } else {
    const last = random.whole(1, 12);
    let count = 0;
    let atKill: Map<ResourceTypeName, Saved> | undefined;
    const frozen = join(folder, "frozen");
    model.breaks = () => {
      if (++count > last && atKill === undefined) {
        atKill = new Map(saved);
        mkdirSync(journal, { recursive: true, mode: 0o700 });
        cpSync(journal, frozen, { recursive: true });
      }
      return atKill !== undefined;
    };
    await up();
    model.breaks = () => false;
    if (atKill !== undefined) {
      // This process continues after the simulated kill, so the states and the journal are set back to that moment.
      saved = atKill;
      rmSync(journal, { recursive: true, force: true });
      cpSync(frozen, journal, { recursive: true });
      // The provider does not use a journal that other users can read.
      chmodSync(journal, 0o700);
    }
    errors = await during("run after a kill", up);
  }
  const isMet = answers > 0;
  if (drawn.passes && times <= 2 && strangeRun !== "kill") {
    require(errors.length === 0, `${strangeRun}: ${times} such answers are an error: ${errors}`);
  }

  model.habit = () => undefined;
  const ends = await during("next run", up);
  const isDoubtful = sentOnce.includes(route) || strangeRun === "kill";
  require(ends.length === 0 || isDoubtful, `next run: ${ends}`);
  if (ends.length > 0) {
    require(ends.every(({ message }) => /adopt|journal/.test(message)), `next run: no way on is named: ${ends}`);
    const [jobId] = model.jobs;
    adopted = jobId === undefined || saved.has("StaticExport") ? {} : { jobId };
    if (adopted.jobId === undefined) {
      rmSync(journal, { recursive: true, force: true });
    }
    const after = await during("run after the user's decision", up);
    require(after.length === 0, `run after the user's decision: ${after}`);
  }
  await during("last refresh", refresh);
  await expectNoChange("last run");
  require(model.jobs.length === 1, `${model.jobs.length} jobs at the end`);
  const mayLack = route === "sendMessage" || strangeRun === "kill";
  require(model.messages === 1 || mayLack, `${model.messages} messages at the end`);
  require(saved.size === order.length, `saved: ${[...saved.keys()]}`);
  require(contentIn(copies)["index.html"] === page, "the mirrored page differs");
  require(Date.parse(String(saved.get("ExportBundle")?.state.expiresAt)) > clock.now(), "the link has ended");
  return {
    isMet,
    text: `${route}, ${strangeRun}, seed ${seed}: ${[...texts].slice(0, 2).join(" / ") || drawn.text}, ${times} times`,
    troubles,
  };
}
