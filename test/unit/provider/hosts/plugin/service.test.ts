import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type PluginMethods,
  type PluginRequest,
  type PluginResponse,
  pluginMethods,
} from "../../../../../provider/hosts/plugin/messages";
import { makePluginMethodTable } from "../../../../../provider/hosts/plugin/methodTable";
import { findSecretOutputNames } from "../../../../../provider/hosts/plugin/properties";
import { createPluginService, type StartupMethod } from "../../../../../provider/hosts/plugin/service";
import { PulumiSession } from "../../../../../provider/pulumiEngine/pulumiSession";
import { projectRoot } from "../../../../../tools/projectRoot";

async function ask<Name extends Exclude<keyof PluginMethods, StartupMethod>>(
  method: Name,
  request: PluginRequest<Name>,
): Promise<{ answer?: PluginResponse<Name>; error?: Error }> {
  const service = createPluginService(new PulumiSession());
  return service.call(method, request, { takesOutputs: false }).then(
    (answer) => ({ answer }),
    (error) => ({ error }),
  );
}

const urn = (type: string) => `urn:pulumi:test::project::${type}::name`;

describe("the service of the plugin", () => {
  it("refuses arguments of a function by their names", async () => {
    const args = { bundle: { version: "1" }, enabled: "yes", more: 1 };
    const { answer } = await ask("Invoke", { tok: "docs-platform:index:helmValues", args });
    expect(answer?.failures).toEqual([
      { property: "bundle", reason: "DOCS_CONFIGURATION: is wrong: bundleUrl is required" },
      { property: "enabled", reason: "DOCS_CONFIGURATION: must be true or false" },
      { property: "more", reason: expect.stringContaining("is not an argument of this function") },
    ]);
  });

  it("does not look a bundle up by its id, since each look would mint a link", async () => {
    const { error } = await ask("Read", { urn: urn("docs-platform:index:ExportBundle"), id: "job-1" });
    expect(error?.message).toContain("each read would create a new link. Declare the resource with its jobId");
  });

  it("refuses an input whose value is secret without the engine printing it", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "https://x/" };
    const { answer } = await ask("Check", { urn: urn("docs-platform:index:StaticExport"), news: { domain: secret } });
    expect(answer?.failures?.[0]).toEqual({
      property: "",
      reason: expect.stringMatching(/^DOCS_CONFIGURATION: domain contains a scheme/),
    });
  });

  it("shows a link as unknown that a wider renewBefore makes due, and as known where it does not", async () => {
    const minute = 60_000;
    const at = (time: number) => new Date(Date.now() + time).toISOString();
    const inputs = { jobId: "job-1", version: "job-1" };
    const state = { ...inputs, bundleUrl: "https://x/", issuedAt: at(-30 * minute), expiresAt: at(30 * minute) };
    const preview = async (renewBefore: string) => {
      const { answer } = await ask("Update", {
        ...{ urn: urn("docs-platform:index:ExportBundle"), id: "job-1", preview: true },
        ...{ olds: { ...state, __origin: "https://api.example.com" }, news: { ...inputs, renewBefore } },
      });
      return answer?.properties;
    };
    const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const times = { issuedAt: unknownText, expiresAt: unknownText };
    expect(await preview("40m")).toMatchObject({ ...inputs, ...times, bundleUrl: { value: unknownText } });
    const { bundleUrl: value, ...known } = state;
    expect(await preview("20m")).toMatchObject({ ...known, bundleUrl: { value } });
  });

  it("remembers an engine's handshake for its next connection, which has none", async () => {
    const engine = { takesOutputs: false };
    const connect = () => makePluginMethodTable(async () => createPluginService(new PulumiSession()), engine);
    const { request } = pluginMethods.Handshake;
    const handshake = request.encode({ invokeWithPreview: true, acceptsOutputsInInvoke: true });
    await connect().get("/pulumirpc.ResourceProvider/Handshake")?.(handshake);
    const asked = pluginMethods.Invoke.request.encode({
      tok: "docs-platform:index:featureAvailability",
      args: { deploymentType: "air-gapped" },
    });
    const answer = await connect().get("/pulumirpc.ResourceProvider/Invoke")?.(asked);
    const { return: result } = pluginMethods.Invoke.response.decode(answer as Uint8Array);
    expect(Object.keys(result?.aiAssistant as object)).toContain("dependencies");
  });

  it("keeps secret what has the value of a secret input, and what always is", async () => {
    const given = { values: { domain: "a.example", label: "x" }, secrets: new Set(["domain"]) };
    const outputs = { bundleUrl: "y", domain: "a.example", host: "a.example", label: "x" };
    expect([...findSecretOutputNames(outputs, ["bundleUrl"], given)].sort()).toEqual(["bundleUrl", "domain", "host"]);
  });

  it("loads no library before the first request, and nothing but one file", () => {
    const script = `
      require(${JSON.stringify(join(projectRoot, "dist", "plugin", "serve.js"))});
      setTimeout(() => {
        console.log(JSON.stringify(Object.keys(require.cache)));
        process.exit();
      }, 1_000);`;
    const told = execFileSync(process.execPath, ["-e", script], { cwd: projectRoot, encoding: "utf8" });
    const files = JSON.parse(told.slice(told.indexOf("[")));
    expect(files.map((file: string) => basename(file))).toEqual(["serve.js", "bundle.js"]);
  });
});
