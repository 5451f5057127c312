import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { leaks } from "../support/leaks";
import { keyForTest } from "../support/mirror/signatures";
import { inClear, type Values } from "../support/protocol/messages";
import { hosts, type ProtocolHost } from "../support/protocol/protocolHosts";
import { ProviderError } from "../support/protocol/providerClient";
import { shownParts } from "../support/secretParts";
import { temporaryFolder } from "../support/temporaryFolder";

const secretPart = () => randomBytes(24).toString("hex");
const keys = [
  ["with the prefix of the API text", `svc_${secretPart()}`],
  ["without a prefix", secretPart()],
  ["of every character that a token may have", `sk-live.~+/${secretPart()}==`],
] as const;
const project = { projectId: "docs", id: "agent-1" };

/** Starts a provider with a debug log, and a platform whose answers repeat secrets. */
async function scannedProvider(host: ProtocolHost, apiKey: string) {
  const folder = temporaryFolder();
  const planted = `https://files.example.com/b.tgz?X-Amz-Signature=${randomBytes(32).toString("hex")}`;
  const platform = await testPlatform({ apiKey, jobTime: 600_000, agentTime: 50, agentJobs: [project] });
  const signing = keyForTest();
  const environment = {
    DOCS_PLATFORM_MAX_RETRIES: "0",
    DOCS_PLATFORM_JOURNAL: join(folder, "journal"),
    DOCS_PLATFORM_SIGNING_KEY_FILE: signing.file,
  };
  const { client, engine, urnOf, ownInputs } = await host(platform, { environment });
  const errors: string[] = [];
  /** The state after each create, without the link, because the engine encrypts the link. */
  const states: string[] = [];
  const keep = ({ outputs: { bundleUrl: _, ...clear } }: { outputs: Values }) => states.push(JSON.stringify(clear));
  const secrets = new Set([
    apiKey,
    ...signing.secrets,
    planted,
    String(new URL(planted).searchParams.get("X-Amz-Signature")),
  ]);

  async function create(type: string, name: string, given: Values) {
    const urn = urnOf(type, name);
    const { inputs } = await client.check(urn, { ...ownInputs(type, name), ...given });
    try {
      const made = await client.create(urn, inputs);
      keep(made);
      return { urn, known: { ...made, inputs } };
    } catch (error) {
      errors.push((error as Error).message);
      const saved = error instanceof ProviderError ? error.saved : undefined;
      if (saved) {
        keep(saved);
      }
      return { urn, known: saved && { ...saved, inputs } };
    }
  }
  const all = () => [...engine.log, ...engine.debugLog, ...errors, ...states];
  return {
    platform,
    engine,
    client,
    create,
    errors,
    secrets,
    echo: `no ${apiKey} (${encodeURIComponent(apiKey)}, ${apiKey.slice(5)}, ${apiKey.slice(0, -5)}) at ${planted}`,
    planted,
    signing,
    folder,
    all,
  };
}

/**
 * The hosts share the code that hides a key, so `npm test` uses one host and one form of the key. The campaign uses
 * both hosts, and every form on the first host.
 */
const hostsAndKeys = Object.entries(hosts)
  .slice(0, campaign ? undefined : 1)
  .flatMap(([name, host], index) =>
    (campaign && index === 0 ? keys : keys.slice(-1)).map(([form, key]) => [name, form, host, key] as const),
  );

describe.each(hostsAndKeys)("what the %s shows in a debug log, with a key %s,", (_name, _form, host, key) => {
  it("contains no part of the key, and no link, whatever fails and whatever the platform echoes", async () => {
    const { platform, engine, client, create, errors, secrets, echo, planted, signing, folder, all } =
      await scannedProvider(host, key);
    const refuse = (
      operation: "startExport" | "getExport" | "createBundle" | "sendMessage",
      status: number,
      body: string,
    ) => platform.inject({ operation, kind: "status", status, body });
    const domain = "docs.example.com";

    const refusals: [number, string][] = [
      [400, JSON.stringify({ error: echo })],
      [429, `<html>${echo}</html>`],
      [401, echo],
    ];
    for (const [status, body] of refusals) {
      refuse("startExport", status, body);
      await create("StaticExport", `refused-${status}`, { domain });
    }
    platform.inject({ operation: "getExport", kind: "body", body: { status: `at ${echo}`, progress: 0.9 } });
    platform.inject({ operation: "getExport", kind: "status", status: 500, body: echo });
    const { urn, known } = await create("StaticExport", "site", { domain });
    const jobId = String(known?.id);
    platform.jobs.fail(jobId, echo);
    if (known) {
      await client.update(urn, known, known.inputs).catch((error: Error) => errors.push(error.message));
      refuse("getExport", 403, echo);
      await client.read(urn, known).catch((error: Error) => errors.push(error.message));
    }
    const { jobId: done } = platform.jobs.add({ domain, status: "completed" });
    // The provider cannot read the first of these answers. It sends the request three times, so the answer is injected
    // three times.
    for (const [expiresAt, count] of [
      [echo, 3],
      ["2020-01-01T00:00:00Z", 1],
    ] as const) {
      platform.inject({ operation: "createBundle", kind: "body", body: { bundleUrl: planted, expiresAt }, count });
      await create("ExportBundle", "bundle", { jobId: done });
    }
    const bundle = await create("ExportBundle", "bundle", { jobId: done });
    secrets.add(String(inClear(bundle.known?.outputs ?? {}).bundleUrl));
    const destination = `oci-layout://${join(folder, "mirror")}`;
    const mirror = await create("BundleMirror", "mirror", { jobId: done, destination, sign: "bundle" });
    expect(mirror.known?.outputs.signedBy).toBe(signing.name);
    const message = { jobId: project.id, projectId: project.projectId, prompt: "Go on.", waitForCompletion: true };
    refuse("sendMessage", 500, echo);
    await create("AgentMessage", "message", message);

    const attempts = engine.debugLog.filter((line) => line.includes("attempt"));
    expect(attempts).toHaveLength(platform.requests.filter(({ operation }) => operation !== "download").length);
    expect(errors.map((text) => /DOCS_(\w+)/.exec(text)?.[1]).join(" ")).toBe(
      "REFUSED RATE_LIMIT AUTHENTICATION SERVER JOB_FAILED PERMISSION RESPONSE_SHAPE LINK_EXPIRED AMBIGUOUS_START",
    );
    expect(secrets.size).toBe(7);
    expect(errors.filter((text) => text.includes("[redacted]")).length).toBe(5);
    expect(leaks(join(folder, "journal"), all(), secrets)).toEqual([]);
    expect(leaks(join(folder, "mirror"), [], signing.secrets)).toEqual([]);
    for (const secret of [key, ...signing.secrets]) {
      expect(shownParts(secret, all().join("\n"))).toEqual([]);
    }
  });
});
