import { describe, expect, it } from "vitest";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { startPlatform } from "../support/compiledPlatform";
import type { Run } from "../support/engineStack";
import { look } from "../support/engineTest";
import { requireTool } from "../support/requireTool";
import { completeAll } from "../support/terraformStack";
import { until } from "../support/until";
import { type MirrorPlace, places } from "../support/upgrade/places";
import { released } from "../support/upgrade/released";
import { pinned, upgradeHosts } from "../support/upgrade/upgradedStack";

type Case = readonly [host: keyof typeof upgradeHosts, store: keyof typeof places, layout: MirrorPlace["layout"]];

const allHosts = Object.keys(upgradeHosts) as Case[0][];
const allStores = Object.keys(places) as Case[1][];

const cases: readonly Case[] = campaign
  ? allHosts.flatMap((host) =>
      allStores.flatMap((store) => (["archive", "site"] as const).map((layout) => [host, store, layout] as const)),
    )
  : [
      ["dynamic", "oci-layout", "site"],
      ["terraform", "file", "archive"],
    ];

/** The links live longer than the test. */
const options: PlatformOptions = {
  queueTime: 0,
  jobTime: 50,
  linkLife: 86_400_000,
  agentTime: 50,
  agentJobs: [{ projectId: "docs", id: "agent-1" }],
};

/** The provider writes a job into the journal before it polls the job for the first time. */
async function untilLateIsPolled(platform: Platform): Promise<void> {
  const isLate = (id = "") => platform.jobs.get(id)?.domain === "late.example.com";
  await until(() => platform.requests.some(({ method, path }) => method === "GET" && isLate(path.split("/").at(-1))));
}

function succeeded(run: Run): Run {
  expect(run.code, run.output).toBe(0);
  return run;
}

// The current code must read the state, the journal and the mirrors of the last release (tools/pins/last-release). Each
// life begins with two runs of that release. The second run is killed while it waits for one more export.
describe.skipIf(!requireTool("git") || !requireTool("terraform"))("what the last release has left", () => {
  // The call may have to pack the last release first.
  it("is packed from the commit that is pinned", () => expect(released()).resolves.toBeDefined(), 1_800_000);

  // Thirty lives at the same time would slow each other down.
  (campaign ? it : it.concurrent).for(cases)(
    "costs no start, no change and no transfer, and a destroy removes it: %s, %s, %s",
    { timeout: 600_000 },
    async ([hostName, store, layout], { onTestFinished }) => {
      const platform = await startPlatform(options);
      onTestFinished(() => platform.close());
      platform.jobs.add({ ...pinned, status: "completed" });
      const place = await places[store](layout);
      onTestFinished(() => place.close());
      const life = await upgradeHosts[hostName].begin(platform, place, onTestFinished);

      await life.useReleased();
      life.declare({ revision: 1 });
      succeeded(await life.up());
      platform.jobTime = Number.POSITIVE_INFINITY;
      life.declare({ revision: 1, isLate: true });
      await life.killedUp(untilLateIsPolled(platform));
      const late = platform.jobs.list().find(({ domain }) => domain === "late.example.com")?.jobId;
      completeAll(platform);
      const left = await place.content();
      expect(Object.keys(left)).not.toEqual([]);

      platform.resetCounts();
      await life.useToday();
      await life.expectLatePlanned();
      expect(succeeded(await life.up()).requests).toEqual([look(late)]);
      expect(await life.jobOf("late")).toBe(late);
      life.declare({ revision: 1, isLate: true, isNewer: true });
      await life.expectNothingToDo();
      succeeded(await life.refresh());
      await life.expectNothingToDo();
      expect([platform.starts, platform.counts.createBundle, platform.counts.download]).toEqual([0, 0, 0]);
      expect(await place.content()).toEqual(left);

      life.declare({ revision: 2, isLate: true });
      succeeded(await life.up());
      expect([platform.starts, platform.counts.createBundle]).toEqual([1, 2]);
      await life.expectNothingToDo();
      expect(succeeded(await life.destroy()).requests).toEqual([]);
      expect(await place.content()).toEqual({});
    },
  );
});
