import { describe, it } from "vitest";
import { testPlatform, testStack } from "../../support/engineTest";
import { hasTool } from "../../support/requireTool";
import { inTerminal } from "../../support/terminal";
import { yamlStack } from "../plugin/yamlStack";

/** The row of the export, with this at the beginning of its Info column. */
const row = (status: string, info: string) => new RegExp(`StaticExport +site +${status} \\(\\d+s\\)\\.* +${info}`);
const progress = "\\d+ %";
const timeLeft = `${progress}, \\d+s left`;
const facts = `${timeLeft}, running, \\d+s elapsed, \\d+ pages?, docs\\.example\\.com`;

/** What is seen at a width depends on the type token: of 48 characters in the one host, and of 32 in the other. */
const hosts = [
  {
    name: "dynamic, Node",
    stackOf: testStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", progress) },
    // The engine shows no Info column at all.
    narrow: /Type +Name +Statu *$/m,
  },
  {
    name: "plugin, YAML",
    stackOf: yamlStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", timeLeft) },
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
});
