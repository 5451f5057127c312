import { expect, it } from "vitest";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { mirrorStack } from "../../support/mirror/mirrorStack";
import { repackForEachLink } from "../../support/mirror/repackForEachLink";
import { type PulumiService, pulumiService } from "../../support/pulumiService";

const full = "acme/lifecycle/test";

async function inCloud(stack: EngineStack): Promise<PulumiService> {
  const service = await pulumiService(full);
  Object.assign(stack.environment, service.environment, { PULUMI_STACK: undefined });
  return service;
}

const urnOf = (service: PulumiService, name: string) =>
  String(service.deployment().resources?.find(({ urn }) => urn.endsWith(`::${name}`))?.urn);

it("the first --replace of an export in an organization's stack starts a new job, and no other stack is asked", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const stack = await testStack(platform, { site: { domain: "docs.example.com" } });
  const service = await inCloud(stack);
  const up = (...flags: string[]) => stack.up("--stack", "acme/test", ...flags);
  const first = await up();
  expect(first.code, first.output).toBe(0);
  const replaced = await up("--replace", urnOf(service, "site"));
  expect([replaced.code, platform.starts], replaced.output).toEqual([0, 2]);
  expect(new Set(service.asked)).toEqual(new Set([full]));
});

it("a mirror that --replace makes again there adopts its own archive, by the variable and by the selected stack", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const { stack } = await mirrorStack(platform);
  const service = await inCloud(stack);
  await repackForEachLink(platform, 3);
  stack.environment.PULUMI_STACK = "acme/test";
  const first = await stack.up();
  expect(first.code, first.output).toBe(0);
  const byVariable = await stack.up("--replace", urnOf(service, "mirror"));
  expect(byVariable.code, byVariable.output).toBe(0);
  delete stack.environment.PULUMI_STACK;
  expect(await stack.pulumi("stack", "select", "acme/test")).toMatchObject({ code: 0 });
  const selected = await stack.up("--replace", urnOf(service, "mirror"));
  expect(selected.code, selected.output).toBe(0);
  expect(new Set(service.asked)).toEqual(new Set([full]));
});

it("a state that cannot be asked is a warning, and a wish for a new job still starts one", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const stack = await testStack(platform, { site: { domain: "docs.example.com" } });
  const service = await inCloud(stack);
  const up = (...flags: string[]) => stack.up("--stack", "acme/test", ...flags);
  expect(await up()).toMatchObject({ code: 0 });
  service.refuseExports();
  const { code, output } = await up("--replace", urnOf(service, "site"));
  expect([code, platform.starts], output).toEqual([0, 2]);
  expect(output).toContain("the state of this stack could not be read");
});
