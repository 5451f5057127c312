import fc from "fast-check";
import { expect, it } from "vitest";
import { agentMessageLifecycle } from "../../../../provider/resources/agentMessage";
import { staticExportLifecycle } from "../../../../provider/resources/staticExport";
import { ConnectionError, NotFoundError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { begin, type ResourceWorld, world } from "../../../support/fakePlatform";

const minute = 60_000;
const twoHours = 120 * minute;
const limit = 30 * minute;
const facts = { happened: "no", remedy: "mend it." };

/** Each event returns how long the machine's monotonic clock stands still. On macOS and Windows, this time is 0. */
const events = {
  nothing: () => 0,
  "its clock is set ahead": ({ clock }: ResourceWorld) => {
    clock.setAhead(twoHours);
    return 0;
  },
  "its clock is set back": ({ clock }: ResourceWorld) => {
    clock.setAhead(-twoHours);
    return 0;
  },
  "it sleeps, as macOS and Windows count time": ({ clock }: ResourceWorld) => {
    clock.pass(twoHours);
    return 0;
  },
  "it sleeps, as Linux counts time": ({ clock }: ResourceWorld) => {
    clock.setAhead(twoHours);
    return twoHours;
  },
} as const;

const kinds = {
  export: (context: ResourceWorld["context"]) => staticExportLifecycle.create({ domain: "a.test" }, context),
  message: (context: ResourceWorld["context"]) =>
    agentMessageLifecycle.create(
      { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true },
      context,
    ),
} as const;

const stories = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
  event: fc.constantFrom(...(Object.keys(events) as (keyof typeof events)[])),
  step: fc.integer({ min: 1, max: 12 }),
  /** The time at which the job ends, by the platform's clock. */
  end: fc.oneof(fc.integer({ min: 0, max: 3 * twoHours }), fc.constant(Number.POSITIVE_INFINITY)),
  /** The time for which the platform does not find the new job. */
  unknownFor: fc.constantFrom(0, 4_000),
  /** The number of polls that fail after the event, because the network is back later than the machine. */
  failures: fc.integer({ min: 0, max: 3 }),
});

it("a wait ends by the job's end, or by a look after its limit, whenever its machine sleeps or somebody sets its clock", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ kind, event, step, end, unknownFor, failures }) => {
      const here = world();
      const { clock, platform, context } = here;
      let [steps, asleep, failing] = [0, 0, 0];
      const platformTime = () => clock.monotonic() + asleep;
      const next = () => {
        if (++steps === step) {
          asleep += events[event](here);
          failing = event === "nothing" ? 0 : failures;
        }
      };
      clock.onSleep = next;
      const look = { count: 0, at: 0, platformTime: 0 };
      const answer = () => {
        next();
        Object.assign(look, { count: look.count + 1, at: clock.monotonic(), platformTime: platformTime() });
        if (failing-- > 0) {
          return new ConnectionError(facts);
        }
        if (platformTime() < unknownFor && kind === "export") {
          return new NotFoundError(facts);
        }
        const status = platformTime() >= end ? "completed" : kind === "export" ? "running" : "active";
        return { status, startedAt: begin, platformTime: begin + platformTime() };
      };
      platform.looks = [answer];
      platform.agentLooks = [answer];

      const { problem, state } = await kinds[kind](context);
      expect(problem?.code).toBe(look.platformTime < end ? "DOCS_WAIT_TIMEOUT" : undefined);
      expect(state.status === "completed").toBe(problem === undefined);
      expect(problem === undefined || look.at >= limit).toBe(true);
      const awake = clock.monotonic() - (event === "it sleeps, as macOS and Windows count time" ? twoHours : 0);
      expect(awake).toBeLessThan(limit + minute);
      expect(look.count).toBeLessThan(250);
      expect(platform.calls.filter((call) => /^(start|message) /.test(call))).toHaveLength(1);
    }),
    { numRuns: campaign ? 20_000 : 400, seed: 57 },
  );
});
