import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { noteResult } from "../support/campaignResults";
import type { EngineStack, Run } from "../support/engineStack";
import { siteAndBundle, stackLine, testPlatform, testStack } from "../support/engineTest";
import { campaignSeed, seededRandom } from "../support/random";
import { requireTool } from "../support/requireTool";
import { FaultyProxy, type Toxic } from "../support/toxiproxy";
import { quiet, Sockets } from "./sockets";
import { drawToxic, type Trouble } from "./toxics";

const lives = campaign ? 40 : 3;
/** Runs without the toxic, after which a stack must be good. */
const mostRuns = 4;
const seed = campaignSeed();

/** The harsh kinds first: an ordinary run has a few only. */
const kinds: Trouble[] = ["reset_peer", "timeout", "limit_data", "latency", "bandwidth", "jitter", "slicer"];

function drawLife(number: number): { number: number; trouble: Trouble; toxic: Toxic; jobTime: number } {
  const random = seededRandom(seed * 10_007 + 5_000_000 + number);
  const trouble = kinds[number % kinds.length] ?? "latency";
  return { number, trouble, toxic: drawToxic(trouble, random), jobTime: random.whole(0, 1_000) };
}

/** What an error asks is answered: a job that there is, is written into the program; where there is none, its code says so. */
function answerIfAsked(stack: EngineStack, platform: Platform, { output }: Run): void {
  const jobId = platform.jobs.list()[0]?.jobId;
  const [, code] = /`DOCS_PLATFORM_NOT_STARTED=([0-9a-f]{12}) pulumi up`/.exec(output) ?? [];
  if (code !== undefined && jobId !== undefined) {
    stack.declare({ ...siteAndBundle, site: { ...siteAndBundle.site, jobId } });
  } else if (code !== undefined) {
    stack.environment.DOCS_PLATFORM_NOT_STARTED = code;
  }
}

describe.skipIf(!requireTool("go"))(`with go, Toxiproxy: the real engine through a proxy, seed ${seed}`, () => {
  let sockets: Sockets;

  beforeAll(async () => {
    sockets = new Sockets("server");
  });
  afterAll(async () => {
    sockets?.stop();
  });

  async function stackBehindProxy(platform: Platform): Promise<{ stack: EngineStack; proxy: FaultyProxy }> {
    const proxy = await FaultyProxy.start(platform.baseUrl);
    onTestFinished(() => proxy.close());
    const stack = await testStack(platform);
    Object.assign(stack.environment, {
      DOCS_PLATFORM_BASE_URL: proxy.url,
      DOCS_PLATFORM_REQUEST_TIMEOUT: "500ms",
      DOCS_PLATFORM_MAX_RETRIES: "2",
    });
    return { stack, proxy };
  }

  /** One run under the toxic, then runs without it until one is good. */
  async function liveThrough(stack: EngineStack, platform: Platform, proxy: FaultyProxy, toxic: Toxic): Promise<Run[]> {
    await proxy.add(toxic);
    const runs = [await stack.up()];
    await proxy.removeAll();
    for (let last = runs[0]; last !== undefined && last.code !== 0 && runs.length <= mostRuns; last = runs.at(-1)) {
      await quiet(sockets, Number(new URL(platform.baseUrl).port));
      answerIfAsked(stack, platform, last);
      runs.push(await stack.up());
    }
    return runs;
  }

  it.each(Array.from({ length: lives }, (_, number) => drawLife(number)))(
    "lifecycle $number, $trouble: one job is started and none is lost; each error has its code and no stack",
    async ({ trouble, toxic, jobTime }) => {
      const platform = await testPlatform({ jobTime });
      const { stack, proxy } = await stackBehindProxy(platform);
      const begun = performance.now();
      const runs = await liveThrough(stack, platform, proxy, toxic);
      const time = Math.round(performance.now() - begun);
      const site = await stack.state("site");
      const [first] = platform.jobs.list();
      const kept = site?.outputs.status === "completed" && site.outputs.jobId === first?.jobId ? 1 : 0;
      const asked = runs.filter(({ output }) => output.includes("DOCS_AMBIGUOUS_START")).length;
      noteResult({ fault: `engine: ${trouble}`, started: platform.starts, lost: platform.starts - kept, asked, time });
      const texts = runs.map(({ output }) => output).join("\n");
      for (const { code, output } of runs.slice(0, -1)) {
        expect(code).not.toBe(0);
        expect(output).toMatch(/DOCS_(?!INTERNAL)[A-Z_]+: /);
      }
      expect(texts).not.toMatch(stackLine);
      expect(runs.at(-1)?.code, texts).toBe(0);
      expect(platform.starts, texts).toBe(1);
      expect(await stack.outputs()).toMatchObject({ jobId: first?.jobId, status: "completed" });
    },
  );
});
