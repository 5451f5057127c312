import { describe, expect, it } from "vitest";
import { variant } from "../../support/campaign";
import { testPlatform, testStack } from "../../support/engineTest";
import { hasTool } from "../../support/requireTool";
import { inTerminal } from "../../support/terminal";
import { dynamicNode, type ProgramHost, yaml } from "../plugin/hosts";
import { yamlStack } from "../plugin/yamlStack";

/** Returns the row of the export whose Info column begins with this text. */
const row = (status: string, info: string) => new RegExp(`StaticExport +site +${status} \\(\\d+s\\)\\.* +${info}`);
const progress = "\\d+ %";
const timeLeft = `${progress} \\d+s left`;
const facts = `${timeLeft}, running, \\d+s elapsed, \\d+ pages?, docs\\.example\\.com`;

/** The visible part at a width depends on the length of the type token: 48 characters in one host, 32 in the other. */
const hosts: {
  name: string;
  host: ProgramHost;
  stackOf: typeof testStack | typeof yamlStack;
  screens: Record<160 | 120 | 100, RegExp>;
  /** A width in columns, and the text that is visible there. */
  replacement: [number, string][];
  narrow: RegExp;
}[] = [
  {
    name: "dynamic, Node",
    host: dynamicNode,
    stackOf: testStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", progress) },
    replacement: [
      [140, timeLeft],
      [130, progress],
    ],
    // At this width the engine shows no Info column.
    narrow: /Type +Name +Statu *$/m,
  },
  {
    name: "plugin, YAML",
    host: yaml,
    stackOf: yamlStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", timeLeft) },
    replacement: [
      [120, timeLeft],
      [110, progress],
    ],
    narrow: row("creating", "\\d+"),
  },
];

describe.skipIf(!hasTool("tmux"))("a terminal (tmux)", () => {
  it.each(hosts)("of 100 columns and more shows how far a job is, and then how it has ended: $name", async (host) => {
    const platform = await testPlatform({ jobTime: 14_000 });
    platform.inject({ operation: "createBundle", kind: "delay", ms: 5_000 });
    const stack = await host.stackOf(platform);
    await inTerminal(stack, "up --yes --skip-preview --stack test", async ({ show }) => {
      await show(160, host.screens[160]);
      await show(120, host.screens[120]);
      await show(100, host.screens[100]);
      await show(80, host.narrow);
      await show(160, row("created", "completed in \\d+s, \\d+ pages, docs\\.example\\.com"));
      await show(160, /^ended 0$/m);
    });
  });

  variant.for(hosts)(
    "shows how far a replacement is after the engine's diff of it: $name",
    async ({ host, replacement }) => {
      const platform = await testPlatform({ queueTime: 0, jobTime: 0 });
      const stack = await testStack(platform, {});
      await host.prepare(stack);
      host.declare(stack, { site: { domain: "docs.example.com" } });
      expect(await stack.up()).toMatchObject({ code: 0 });
      platform.jobTime = 20_000;
      host.declare(stack, { site: { domain: "other.example.com" } });
      await inTerminal(stack, "up --yes --skip-preview --stack test", async ({ show }) => {
        for (const [width, info] of replacement) {
          await show(width, row("creating replacement", `\\[diff: ~domain\\]; ${info}`));
        }
      });
    },
  );
});
