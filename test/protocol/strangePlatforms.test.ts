import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { killAll } from "../support/fixtures/kills";
import { filesIn } from "../support/mirror/storage";
import { dynamicProcess, resourceOn, type Saved } from "../support/protocol/protocolHosts";
import type { HostDialect } from "../support/protocol/protocolStack";
import { strangeBundle } from "../support/strangeBundle";
import { type StrangeCase, strangePlatforms } from "../support/strangeHabits";
import { type StrangeOperation, type StrangePlatform, strangePlatform } from "../support/strangePlatform";
import { temporaryFolder } from "../support/temporaryFolder";
import { until } from "../support/until";

const domain = "docs.example.com";
const agentJob = { projectId: "docs", id: "agent-1" };
/** The headers of a usual request, without the version header. */
const usualHeaders = [
  ...["host", "connection", "content-length", "transfer-encoding", "content-type"],
  ...["accept", "authorization", "user-agent", "idempotency-key"],
];

function aged(saved: Saved): Saved {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const { __signatureEnd, ...outputs } = saved.outputs;
  return { ...saved, outputs: { ...outputs, issuedAt: daysAgo(2), expiresAt: daysAgo(1) } };
}

/** Plays one strange platform. Returns the broken rules. */
async function troublesOf(front: StrangePlatform, provider: HostDialect, strange: StrangeCase): Promise<string[]> {
  front.habit = { ...strange.habit, bundle: await (strange.archive ?? strangeBundle)() };
  front.asked.length = 0;
  const begin = front.requests.length;
  const troubles: string[] = [];
  const count = (operation: StrangeOperation) => front.asked.filter((asked) => asked === operation).length;
  const requireEqual = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) {
      troubles.push(`${what} is ${found}, not ${wanted}`);
    }
  };
  const [site, bundle, mirror, message] = (
    ["StaticExport", "ExportBundle", "BundleMirror", "AgentMessage"] as const
  ).map((kind) => resourceOn(provider, kind, `r${front.requests.length}`)) as [Resource, Resource, Resource, Resource];
  type Resource = ReturnType<typeof resourceOn>;
  const made = async (resource: Resource, given: Record<string, unknown>) => {
    const { inputs, failures } = await resource.check(given);
    if (failures.length > 0) {
      throw new Error(failures.map(({ property, reason }) => `${property} ${reason}`).join("; "));
    }
    return { inputs, saved: await resource.create(inputs) };
  };
  try {
    const job = await made(site, { domain, ...strange.site });
    requireEqual("starts", count("startExport"), 1);
    requireEqual("status", job.saved.outputs.status, "completed");
    const jobId = job.saved.id;
    const { startedAt, completedAt } = job.saved.outputs;
    const isInOrder = Date.parse(String(completedAt)) >= Date.parse(String(startedAt)) - 60_000;
    requireEqual("an end after the beginning", isInOrder, true);
    const mint = strange.mint ?? "generateBundle";
    const earlier = count(mint);
    const link = await made(bundle, { jobId });
    requireEqual("mints", count(mint) - earlier, 1);

    const before = front.requests.length;
    for (const [resource, { saved, inputs }] of [
      [site, job],
      [bundle, link],
    ] as const) {
      requireEqual("a change where nothing changed", (await resource.diff(saved, inputs)).changes, false);
    }
    requireEqual("requests of an unchanged run", front.requests.length - before, 0);

    front.asked.length = 0;

    const old = aged(link.saved);
    requireEqual("a link that has ended is due", (await bundle.diff(old, link.inputs)).changes, true);
    const renewed = await bundle.update(old, link.inputs);
    requireEqual("mints of a renewal", front.asked.join(), mint);
    requireEqual("job of a renewal", renewed.outputs.jobId, jobId);

    const folder = temporaryFolder();
    const place = (name: string) => ({ jobId, layout: name, destination: pathToFileURL(join(folder, name)).href });
    await made(mirror, place("site"));
    requireEqual("the mirrored page is there", existsSync(join(folder, "site", "guide", "index.html")), true);
    const { saved: archive } = await made(mirror, place("archive"));
    requireEqual("files of the mirrored archive", filesIn(join(folder, "archive")).length, 3);
    await mirror.delete(archive);
    requireEqual("files after its end", filesIn(join(folder, "archive")).length, 0);

    front.asked.length = 0;
    const sent = await made(message, { jobId: agentJob.id, projectId: agentJob.projectId, prompt: "Go on." });
    const seen = await message.read(sent.saved);
    requireEqual("status of the agent's job", /^(active|completed)$/i.test(String(seen?.outputs.status)), true);
    requireEqual("requests for a message", front.asked.join(), "sendMessage,getAgentJob");

    const headers = new Set(front.requests.slice(begin).flatMap((request) => Object.keys(request.headers)));
    requireEqual("headers", [...headers].filter((name) => !usualHeaders.includes(name)).join(), "");
    requireEqual("other operations", front.requests.slice(begin).filter((one) => one.operation === "other").length, 0);
  } catch (error) {
    troubles.push(String((error as Error).message).split("\n")[0] ?? "");
  }
  return troubles;
}

const axes = groups(strangePlatforms, ({ axis }) => axis);
const tried = campaign
  ? axes
  : new Map([["the first value of each axis", [...axes.values()].flatMap((values) => values.slice(0, 1))]]);

function groups<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    found.set(nameOf(item), [...(found.get(nameOf(item)) ?? []), item]);
  }
  return found;
}

const drawn = strangePlatforms.filter(({ value, basePath }) => /^draw \d/.test(value) && basePath === undefined);

/** The largest number of platforms for one provider process. */
const mostInRow = 12;

/** A process reads its settings only once, so all platforms of a group have the same settings. */
function parts(all: readonly StrangeCase[]): [StrangeCase, ...StrangeCase[]][] {
  const settings = ({ apiKey, basePath, environment, warns }: StrangeCase) =>
    JSON.stringify([apiKey, basePath, environment, warns]);
  return [...groups(all, settings).values()].flatMap((same) =>
    Array.from(
      { length: Math.ceil(same.length / mostInRow) },
      (_, at) => same.slice(at * mostInRow, (at + 1) * mostInRow) as [StrangeCase, ...StrangeCase[]],
    ),
  );
}

let held = 0;

afterAll(() => {
  if (campaign) {
    noteLines([`strange platforms: ${axes.size} axes, ${strangePlatforms.length} values, ${held} held`]);
  }
});

/** Plays these platforms with one provider process. Returns the broken rules. */
async function brokenOn(part: [StrangeCase, ...StrangeCase[]]): Promise<string[]> {
  const [{ apiKey, basePath = "", environment = {}, warns = "^$" }] = part;
  const front = await strangePlatform(apiKey);
  const provider = await dynamicProcess({ ...front, baseUrl: front.baseUrl + basePath }, { environment });
  const broken: string[] = [];
  for (const strange of part) {
    const troubles = await troublesOf(front, provider, strange);
    broken.push(...troubles.map((trouble) => `${strange.axis}, ${strange.value}: ${trouble}`));
    held += troubles.length === 0 ? 1 : 0;
  }
  const told = provider.engine.warnings.filter((text) => !text.endsWith("will be renewed"));
  return [...broken, ...told.filter((text) => !new RegExp(warns).test(text))];
}

describe("on a platform whose habits the API text does not show", () => {
  it.each([...tried.keys()])(
    "a first run, an unchanged one, a renewal, a mirror and a message hold: %s",
    async (some) => {
      const broken = await Promise.all(parts(tried.get(some) ?? []).map(brokenOn));
      expect(broken.flat()).toEqual([]);
    },
    campaign ? 600_000 : 240_000,
  );

  it.each(campaign ? drawn : drawn.slice(0, 1))(
    "a job whose run is killed is continued by the next run, and was started once: $axis, $value",
    async ({ habit = {}, archive = strangeBundle }) => {
      const front = await strangePlatform();
      front.habit = { ...habit, bundle: await archive() };
      front.platform.jobTime = Number.POSITIVE_INFINITY;
      const journal = temporaryFolder();
      const nextRun = async () => {
        const provider = await dynamicProcess(front, { environment: { DOCS_PLATFORM_JOURNAL: journal } });
        const site = resourceOn(provider, "StaticExport");
        const { inputs } = await site.check({ domain });
        return site.create(inputs);
      };
      const killed = nextRun().catch(() => undefined);
      await until(() => front.asked.includes("getExport"));
      killAll({ folder: journal });
      expect(await killed).toBeUndefined();
      const [job] = front.platform.jobs.list();
      front.platform.jobs.complete(job?.jobId ?? "");
      const { id, outputs } = await nextRun();
      expect({ id, status: outputs.status }).toEqual({ id: job?.jobId, status: "completed" });
      expect(front.platform.starts).toBe(1);
    },
  );
});
