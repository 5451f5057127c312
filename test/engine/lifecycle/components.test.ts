import fc from "fast-check";
import { expect, it } from "vitest";
import type { StateResource } from "../../../tools/engines/pulumiDriver";
import { arbitraryTrees } from "../../support/arbitraryTrees";
import { campaign } from "../../support/campaign";
import { stackAfterUp, testPlatform, testStack } from "../../support/engineTest";
import { campaignSeed } from "../../support/random";

const agentJob = { projectId: "docs", id: "agent-1" };

/**
 * Removes the ending `-twin`. The program declares each tree twice, and the names of the second tree have this ending.
 */
const nameOf = (urn: string) => urn.slice(urn.lastIndexOf("::") + 2).replace(/-twin$/, "");

function relationsOf({ parent, dependencies = [], propertyDependencies = {}, aliases = [] }: StateResource) {
  const ofProperties = Object.entries(propertyDependencies).filter(([, urns]) => (urns ?? []).length > 0);
  return {
    parent: parent && nameOf(parent),
    dependencies: dependencies.map(nameOf).toSorted(),
    properties: Object.fromEntries(ofProperties.map(([name, urns]) => [name, urns?.map(nameOf)])),
    aliases: aliases.map(nameOf),
  };
}

it("any resource may be the child of any other, and in the state it depends on what a resource of another package depends on there", async () => {
  const platform = await testPlatform({ agentJobs: [agentJob], jobTime: 0 });
  const { jobId } = platform.jobs.add({ domain: "found.example.com", status: "completed" });
  const trees = arbitraryTrees(jobId, { jobId: agentJob.id, projectId: agentJob.projectId, prompt: "Go on." });
  await fc.assert(
    fc.asyncProperty(trees, async (drawn) => {
      const stack = await testStack(platform, { trees: drawn });
      const { code, output } = await stack.start("up", "--yes", "--skip-preview").ended;
      expect(code, output).toBe(0);
      const resources = await stack.resources();
      const relations = (isTwin: boolean) =>
        Object.fromEntries(
          resources
            .filter(({ urn }) => /::r\d+(-twin)?$/.test(urn) && urn.endsWith("-twin") === isTwin)
            .map((resource) => [nameOf(resource.urn), relationsOf(resource)]),
        );
      expect(Object.keys(relations(false)).length).toBeGreaterThanOrEqual(drawn.length);
      expect(relations(false)).toEqual(relations(true));
    }),
    { numRuns: campaign ? 30 : 1, seed: campaignSeed(), endOnFailure: true },
  );
});

it("an export that moves into a component keeps its job", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const site = { kind: "export", name: "site", args: { domain: "docs.example.com" }, dependsOn: [], children: [] };
  const stack = await stackAfterUp(platform, { trees: [site] });
  const moved = { ...site, alias: "root" };
  stack.declare({ trees: [{ kind: "component", name: "parent", dependsOn: [], children: [moved] }] });
  expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
  expect((await stack.state("site"))?.parent).toMatch(/::parent$/);
});
