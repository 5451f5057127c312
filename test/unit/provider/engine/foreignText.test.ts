import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createOperationContext } from "../../../../provider/engine/operation";
import { agentMessageLifecycle } from "../../../../provider/resources/agentMessage";
import { bundleMirrorLifecycle } from "../../../../provider/resources/bundleMirror";
import { exportBundleLifecycle } from "../../../../provider/resources/exportBundle";
import type { OperationContext } from "../../../../provider/resources/lifecycle";
import { staticExportLifecycle } from "../../../../provider/resources/staticExport";
import { CheckedSettings } from "../../../../provider/settings/settings";
import * as errors from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { type FakePlatform, world } from "../../../support/fakePlatform";
import { expectHarmless, hostileText, hostileTexts } from "../../../support/hostileText";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { TestSession } from "../../../support/testSession";

const facts = { happened: "another job runs", remedy: "wait." };
const job = { jobId: "job-1", projectId: "docs", prompt: "Go on." };

/** Each function runs one operation, with the text in the inputs, in the platform's answers, or in a mirrored file. */
const lives: Record<string, (text: string, platform: FakePlatform, context: OperationContext) => Promise<unknown>> = {
  failed(text, platform, context) {
    platform.looks = [{ status: text }, { status: "failed", error: text }];
    return staticExportLifecycle.create({ domain: "a.test" }, context);
  },
  late(text, platform, context) {
    platform.looks = [{ status: text }];
    return staticExportLifecycle.create({ domain: "a.test", waitTimeout: "10s" }, context);
  },
  inTheWay(text, platform, context) {
    platform.starts = [new errors.ConflictError({ ...facts, jobId: text })];
    platform.looks = [{ status: "running" }];
    return staticExportLifecycle.create({ domain: "a.test" }, context);
  },
  ofAnotherDomain(text, platform, context) {
    platform.looks = [{ domain: `${text}x` }];
    return staticExportLifecycle.create({ domain: "a.test", jobId: "job-1" }, context);
  },
  unnamed(text, platform, context) {
    platform.starts = [{ jobId: text }];
    platform.looks = [new errors.NotFoundError({ ...facts, happened: text })];
    return staticExportLifecycle.create({ domain: "a.test" }, context);
  },
  expired(text, platform, context) {
    platform.links = [{ expiresAt: 0 }];
    return exportBundleLifecycle.create({ jobId: text, version: text }, context);
  },
  unread(text, platform, context) {
    platform.agentLooks = [new errors.ServerError({ ...facts, happened: text })];
    return agentMessageLifecycle.read("x", { ...job, jobId: text, __origin: "https://api.example.com" }, context);
  },
  anotherMirror(text, _, context) {
    const folder = temporaryFolder();
    const sums = { format: "tar", sha256: "0".repeat(64), sizeBytes: 1, mirroredAt: "2026-11-24T03:00:00Z" };
    const names = { owner: text, jobId: text, version: text, tool: text };
    writeFileSync(join(folder, "job-1.json"), JSON.stringify({ ...names, ...sums, seals: [], files: [] }));
    const destination = pathToFileURL(folder).href;
    return bundleMirrorLifecycle.create({ jobId: "job-1", layout: "archive", destination }, context);
  },
  unanswered(text, platform, context) {
    platform.messages = [{ status: text }];
    platform.agentLooks = [{ status: text }];
    return agentMessageLifecycle.create({ ...job, waitForCompletion: true, waitTimeout: "10s" }, context);
  },
};

function expectError(error: Error): void {
  const [first, ...rest] = error.message.split("\n");
  expect(first).toMatch(/^DOCS_[A-Z_]+: /);
  expect(rest.every((line) => line.startsWith("  "))).toBe(true);
  expect(rest.length).toBeLessThanOrEqual(4);
  expectHarmless(error.message);
}

const runs = { numRuns: campaign ? 3_000 : 150, seed: 56, examples: hostileTexts.map((text): [string] => [text]) };

it.each(Object.entries(lives))(
  "no foreign text makes a line, or controls a terminal, in what the life of a resource prints: %s",
  async (_, live) => {
    const everPrinted = { error: false, line: false };
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const { platform, clock, context: plain } = world();
        const session = new TestSession();
        const settings = new CheckedSettings({});
        const context: OperationContext = {
          ...createOperationContext({ settings }, session).context,
          settings: plain.settings,
          clock,
          connect: async () => platform,
        };
        const failure = await live(text, platform, context).catch((error: unknown) => error);
        if (failure instanceof Error) {
          everPrinted.error = true;
          expectError(failure);
        }
        const printed = [...session.shown, ...session.warnings];
        everPrinted.line ||= printed.length > 0;
        for (const line of printed) {
          expectHarmless(line);
          expect(line).not.toContain("\n");
        }
      }),
      runs,
    );
    expect(everPrinted.error || everPrinted.line).toBe(true);
  },
);

it("no foreign text makes a line in an error, in any of its parts", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const error = new errors.ServerError({ happened: text, remedy: text, told: [text] });
      expectError(new errors.ConflictError({ happened: text, remedy: text }));
      expectHarmless(error.happened);
      expectHarmless(error.remedy);
      expectError(error.withOutcome({ exists: text, nextRun: text, remedy: text }));
    }),
    runs,
  );
});
