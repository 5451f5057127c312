import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import type { EngineStack, Run } from "../../support/engineStack";
import { anError, expectFirstRun, look, mint, start, tally } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { passHour } from "../../support/passHour";
import { type SharedStack, sharedStack } from "../../support/sharedStack";
import type { Program, ProgramHost } from "./hosts";

const domain = "docs.example.com";
const program: Program = { site: { domain }, bundle: {} };
const changed: Program = { site: { domain, triggers: { revision: 2 } }, bundle: {} };
const nothing = { code: 0, requests: [] };

interface Subject {
  platform: Platform;
  stack: EngineStack;
  importJob(jobId: string): Promise<Run>;
  declare(program: Program): void;
}

/** The cases run in order on one stack. Each case continues where the previous one ended. */
const cases: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  async "a preview before the first run costs no request"({ stack }) {
    expect(await stack.preview()).toMatchObject(nothing);
  },

  async "the first run costs one start, the polls and one bundle, and gives every output"({ stack }) {
    await expectFirstRun(stack);
  },

  async "a run in which nothing changed costs no request and changes nothing"({ stack }) {
    const before = await stack.outputs();
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.outputs()).toEqual(before);
  },

  async "a refresh costs one look at the job"({ stack }) {
    const { jobId } = await stack.outputs();
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
  },

  async "a change of triggers replaces the export by one new job, and the link by one of it"(subject) {
    const { stack, platform } = subject;
    const before = await stack.outputs();
    subject.declare(changed);
    const { code, output, requests } = await stack.up();
    const { jobId } = await stack.outputs();
    expect(code, output).toBe(0);
    expect(jobId).not.toBe(before.jobId);
    expect(output).toContain(`export job ${before.jobId} leaves the state; the platform keeps it`);
    expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
    expect(platform.starts).toBe(2);
  },

  async "a link that has expired is renewed by exactly one request, and nothing else changes"({ stack, platform }) {
    const before = await stack.outputs();
    passHour(platform, stack);
    const preview = await stack.preview();
    expect(preview).toMatchObject(nothing);
    expect(preview.output).toMatch(/Resources:\s+~ 1 to update\s+\d+ unchanged/);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(before.jobId)] });
    const { bundleUrl, expiresAt, issuedAt, values, ...others } = await stack.outputs();
    expect(before).toMatchObject(others);
    expect([bundleUrl, expiresAt, issuedAt]).not.toContain(before.bundleUrl);
    expect(Date.parse(String(expiresAt))).toBeGreaterThan(Date.parse(String(before.expiresAt)));
  },

  async "a run that is cancelled ends at once and keeps its job, and the next one continues with it"(subject) {
    const { stack, platform } = subject;
    // A cancelled run returns the resource's whole state in headers. This input makes the headers larger than most
    // HTTP/2 programs accept.
    subject.declare({ site: { domain, triggers: { revision: 3, note: "x".repeat(100_000) } }, bundle: {} });
    platform.jobTime = 600_000;
    const running = stack.start("up", "--yes", "--skip-preview");
    const begun = platform.starts + 1;
    const ended = running.ended.then(() => true);
    while (platform.starts < begun && !(await Promise.race([ended, sleep(20)]))) {
      // The loop ends when the platform has accepted the start.
    }
    await sleep(200);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
    const jobId = String(platform.jobs.list().at(-1)?.jobId);
    platform.jobs.complete(jobId);
    const resumed = await stack.up();
    expect(resumed.code, resumed.output).toBe(0);
    expect(tally(resumed.requests)).toEqual({ [look(jobId)]: 1, [mint(jobId)]: 1 });
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed" });
    expect(platform.starts).toBe(begun);
  },

  async "a run that is killed with its provider process leaves its job to the next one"(subject) {
    const { stack, platform } = subject;
    subject.declare({ site: { domain, triggers: { revision: 4 } }, bundle: {} });
    platform.jobTime = 600_000;
    const begun = platform.starts + 1;
    const looks = platform.counts.getExport;
    const running = stack.start("up", "--yes", "--skip-preview");
    const ended = running.ended.then(() => true);
    while (platform.counts.getExport === looks && !(await Promise.race([ended, sleep(20)]))) {
      // The loop ends at the first poll. By then, the provider has recorded the job's id in the journal.
    }
    killAll(stack);
    await ended;
    const jobId = String(platform.jobs.list().at(-1)?.jobId);
    platform.jobs.complete(jobId);
    await stack.pulumi("cancel", "--yes");
    const resumed = await stack.up();
    expect(resumed.code, resumed.output).toBe(0);
    expect(tally(resumed.requests)).toEqual({ [look(jobId)]: 1, [mint(jobId)]: 1 });
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed" });
    expect(platform.starts).toBe(begun);
  },

  async "a destroy costs no request"({ stack }) {
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(await stack.resources()).toEqual([]);
  },

  async "an import adopts an existing job, without a start, and the run after it costs one link"(subject) {
    const { stack, platform } = subject;
    const starts = platform.starts;
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    subject.declare(program);
    const imported = await subject.importJob(jobId);
    expect(imported.code, imported.output).toBe(0);
    const { code, output, requests } = await stack.up();
    expect(code, output).toBe(0);
    expect(new Set(requests)).toEqual(new Set([...requests.filter((request) => request === look(jobId)), mint(jobId)]));
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed", version: jobId });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(platform.starts).toBe(starts);
  },
};

export function lifecycleOn(host: ProgramHost): void {
  describe(`a stack on the host ${host.name}`, () => {
    const story = sharedStack({}, async ({ stack }) => {
      await host.prepare(stack);
      host.declare(stack, program);
    });
    const subjectOf = ({ platform, stack }: SharedStack): Subject => ({
      ...{ platform, stack },
      declare: (declared) => host.declare(stack, declared),
      importJob: (jobId) => host.importJob(stack, jobId, domain),
    });

    it.each(Object.entries(cases))("%s", (_, run) => run(subjectOf(story)), 240_000);
  });
}
