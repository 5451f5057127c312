import { expect, it } from "vitest";
import { requestNameOf } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { dynamicNode, yaml } from "../plugin/hosts";

it.each([dynamicNode, yaml])(
  "with --debug, an up shows each of its requests once, and each step of its start: $name",
  async (host) => {
    const platform = await testPlatform({ jobTime: 2_000 });
    const stack = await testStack(platform, {});
    await host.prepare(stack);
    host.declare(stack, { site: { domain: "docs.example.com" }, bundle: {} });
    const quiet = await stack.preview();
    expect(quiet.output).not.toContain("attempt 1");
    const { code, output, requests } = await stack.up("--debug");
    expect(code, output).toBe(0);
    const ours = /(?:GET|POST) \/v1\/\S+: \d+, \d+ ms, attempt \d+, request id [\w-]{36}/g;
    // The engine prints each line twice: at once, and in the diagnostics at the end. Only this package's lines are
    // searched, because the SDK's own lines contain outputs.
    const told: string[] = output.split("Diagnostics:")[1]?.match(ours) ?? [];
    stack.printed.splice(0, stack.printed.length, told.join("\n"));
    const names = told.map((line) => line.replace(/: .*/, "").split(" ") as [string, string]);
    const steps = [...new Set(output.match(/(?<=start [0-9a-f]{12}: )\w+, \w+, \w+/g))];
    expect(steps.slice(0, 4)).toEqual([
      "new, look, looked",
      "looked, intend, intended",
      "intended, lookAgain, sent",
      "sent, accept, accepted",
    ]);
    expect(names.map(([method, path]) => requestNameOf({ method, path })).toSorted()).toEqual(requests.toSorted());
  },
);
