import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PluginMethods, type PluginRequest, pluginMethods } from "../../provider/hosts/plugin/messages";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { look, requestsTo, start, testPlatform } from "../support/engineTest";
import { canMount } from "../support/mirror/mounts";
import { contentIn, filesIn } from "../support/mirror/storage";
import { environmentOf } from "../support/protocol/protocolHosts";
import { type KnownResource, ProviderClient, urnOf } from "../support/protocol/providerClient";
import { EngineServer, startPlugin } from "../support/protocol/providerProcess";
import { campaignSeed } from "../support/random";
import { callAs, canBeAnotherUser, nobody, type RpcCall } from "../support/secondUser";
import { temporaryFolder } from "../support/temporaryFolder";
import { until } from "../support/until";

const urn = { mirror: urnOf("BundleMirror", "mirror"), site: urnOf("StaticExport", "site") };

const waited = "docs.example.com";

/** Makes a platform for each user, and a folder for the first user's mirror. */
async function world() {
  const [ours, theirs] = [await testPlatform(), await testPlatform()];
  const [destination, places] = [temporaryFolder(), temporaryFolder()];
  const { jobId } = ours.jobs.add({ domain: "mirrored.example.com", status: "completed" });
  const foreign = ours.jobs.add({ domain: "evil.example.com", status: "completed" }).jobId;
  const inputs = { jobId, layout: "site", destination: pathToFileURL(destination).href };
  // A fake `pulumi` command. It is on PATH, and the second user's requests also name it as a program to run.
  const program = join(places, "pulumi");
  const started = join(places, "started");
  const saved = join(places, "stack.json");
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${started}\ncat ${saved}\n`);
  chmodSync(program, 0o755);
  const environment = { ...environmentOf(ours), PATH: `${places}:${process.env.PATH}` };
  return { ours, theirs, destination, foreign, inputs, program, places, saved, environment };
}

type World = Awaited<ReturnType<typeof world>>;

/** Generates the second user's requests for each method. Each request tries the harm that its method could do. */
function requestsFor(
  { ours, theirs, foreign, inputs, program, places }: World,
  mirror: KnownResource,
): { [Name in keyof PluginMethods]: fc.Arbitrary<PluginRequest<Name>> } {
  const provider = "urn:pulumi:test::project::pulumi:providers:docs-platform";
  const settings = fc.record(
    {
      baseUrl: fc.constantFrom(ours.baseUrl, theirs.baseUrl),
      apiKey: fc.constant(theirs.apiKey),
      apiKeyCommand: fc.constant(`${program} key`),
      journal: fc.constant(places),
    },
    { requiredKeys: [] },
  );
  const configured = { urn: fc.constantFrom(`${provider}::default`, `${provider}::theirs`), args: settings };
  const news = fc.constantFrom(
    { urn: urn.mirror, properties: { ...inputs, jobId: foreign } },
    { urn: urn.site, properties: { domain: "evil.example.com" } },
    { urn: urnOf("AgentMessage", "message"), properties: { jobId: foreign, projectId: "docs", prompt: "x" } },
  );
  const known = fc.constant({ id: mirror.id, urn: urn.mirror, olds: mirror.outputs, oldInputs: mirror.inputs });
  const changed = known.map((one) => ({ ...one, news: { ...inputs, jobId: foreign } }));
  return {
    Handshake: fc.record({ invokeWithPreview: fc.boolean(), acceptsOutputsInInvoke: fc.boolean() }),
    GetPluginInfo: fc.constant({}),
    GetSchema: fc.constant({}),
    Cancel: fc.constant({}),
    CheckConfig: fc.record(configured).map(({ args, ...one }) => ({ ...one, news: args })),
    DiffConfig: fc.record(configured).map(({ args, ...one }) => ({ ...one, olds: {}, news: args })),
    Configure: fc.record(configured),
    Invoke: fc.constantFrom(
      { tok: "docs-platform:index:getStaticExport", args: { jobId: foreign } },
      { tok: "docs-platform:index:getAgentJob", args: { id: foreign } },
    ),
    Check: news.map(({ properties, ...one }) => ({ ...one, news: properties })),
    Diff: changed,
    Create: news,
    Read: known.map(({ olds, oldInputs, ...one }) => ({ ...one, properties: olds, inputs: oldInputs })),
    Update: changed,
    Delete: known.map(({ olds, oldInputs: _, ...one }) => ({ ...one, properties: olds })),
  };
}

function callsOf(requests: ReturnType<typeof requestsFor>): fc.Arbitrary<RpcCall[]> {
  const names = Object.keys(requests) as (keyof PluginMethods)[];
  const call = <Name extends keyof PluginMethods>(name: Name) =>
    requests[name].map((request) => ({
      path: `/pulumirpc.ResourceProvider/${name}`,
      message: (pluginMethods[name].request.encode as (value: unknown) => Uint8Array)(request),
    }));
  return fc.array(fc.oneof(...names.map(call)), { maxLength: 8 });
}

/** Creates an export as the first user. Resolves with the job's id, or with the error's text. */
async function runOf(owner: ProviderClient): Promise<string> {
  try {
    await owner.configure({});
    return (await owner.create(urn.site, { domain: waited })).id;
  } catch (error) {
    return String(error);
  }
}

const seeds = Array.from({ length: campaign ? 8 : 3 }, (_, index) => campaignSeed() + index);

describe.skipIf(!canBeAnotherUser())("a second user of the machine (needs the rights of root)", () => {
  it.each(seeds)(
    "changes nothing of the first user's, starts no program and gets no answer (seed %i)",
    async (seed) => {
      const all = await world();
      const { ours, theirs, destination, inputs, saved, places, environment } = all;
      const engine = await EngineServer.start();
      const earlier = new ProviderClient(await startPlugin(environment, engine.address));
      await earlier.configure({});
      const mirror = { inputs, ...(await earlier.create(urn.mirror, inputs)) };
      writeFileSync(saved, JSON.stringify({ deployment: { resources: [{ urn: urn.mirror, ...mirror }] } }));
      const [files, folder, requests] = [contentIn(destination), filesIn(places), requestsTo(ours)];

      const calls = callsOf(requestsFor(all, mirror));
      const [drawn] = fc.sample(fc.tuple(calls, calls), { seed, numRuns: 1 });
      const [early, late] = drawn ?? [[], []];
      const port = await startPlugin(environment, engine.address);
      const answers = await callAs(nobody, port, early);
      ours.jobTime = Number.POSITIVE_INFINITY;
      let end: string | undefined;
      const over = runOf(new ProviderClient(port)).then((told) => {
        end = told;
      });
      const job = () => ours.jobs.list().find(({ domain }) => domain === waited)?.jobId;
      await until(() => job() !== undefined || end !== undefined);
      answers.push(...(await callAs(nobody, port, late)));
      for (const { jobId } of ours.jobs.list()) {
        ours.jobs.complete(jobId);
      }

      await over;
      const now = contentIn(destination);
      expect({
        end,
        answers: answers.filter((answer) => answer !== null),
        changed: Object.keys({ ...files, ...now }).filter((name) => files[name] !== now[name]),
        folder: filesIn(places),
        requests: requestsTo(ours).filter((request) => request !== look(job())),
        theirs: requestsTo(theirs),
      }).toEqual({ end: job(), answers: [], changed: [], folder, requests: [...requests, start], theirs: [] });
    },
  );
});

describe.skipIf(!canMount())("a system that does not show users (skipped without the right to mount)", () => {
  it("has a plugin that serves nobody, and says why", () => {
    const command = "mount -t tmpfs none /proc && exec node dist/plugin/main.js";
    const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", command], {
      cwd: projectRoot,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^The plugin serves only its own user, .* \/proc\/net\/tcp cannot be read\. .* Mount \/proc, .*\n$/,
    );
  });
});
