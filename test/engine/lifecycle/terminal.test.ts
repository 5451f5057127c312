import { describe, it } from "vitest";
import { campaign } from "../../support/campaign";
import { testPlatform, testStack } from "../../support/engineTest";
import { hasTool } from "../../support/requireTool";
import { inTerminal } from "../../support/terminal";
import { dynamicNode, type ProgramHost, yaml } from "../plugin/hosts";
import { yamlStack } from "../plugin/yamlStack";

const row = (status: string, info: string) => new RegExp(`StaticExport +site +${status} \\(\\d+s\\)\\.* +${info}`);
const progress = "\\d+ %";
const timeLeft = `${progress} \\d+s left`;
const facts = `${timeLeft}, running, \\d+s elapsed, \\d+ pages?, docs\\.example\\.com`;

/**
 * A row begins with the resource's type token, which has 48 characters with the dynamic provider and 32 with the
 * plugin. So the visible part of the row depends on the host.
 */
const hosts: {
  name: string;
  host: ProgramHost;
  stackOf: typeof testStack | typeof yamlStack;
  screens: Record<160 | 120 | 100, RegExp>;
  narrow: RegExp;
}[] = [
  {
    name: "dynamic, Node",
    host: dynamicNode,
    stackOf: testStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", progress) },
    narrow: /Type +Name +Statu *$/m,
  },
  {
    name: "plugin, YAML",
    host: yaml,
    stackOf: yamlStack,
    screens: { 160: row("creating", facts), 120: row("creating", timeLeft), 100: row("creating", timeLeft) },
    narrow: row("creating", "\\d+"),
  },
];

describe.skipIf(!hasTool("tmux"))("a terminal (tmux)", () => {
  it.each(campaign ? hosts : hosts.slice(0, 1))(
    "of 100 columns and more shows how far a job is, and then how it has ended: $name",
    async (host) => {
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
    },
  );
});
