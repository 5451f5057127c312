import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anError, look, start, tally, testPlatform } from "../../support/engineTest";
import { leaks } from "../../support/leaks";
import { strangePlatform } from "../../support/strangePlatform";
import { temporaryFolder } from "../../support/temporaryFolder";
import { reference, writeProject } from "./hosts";
import { yamlStack } from "./yamlStack";

// Checks what the engine does with the plugin's answers. The answers are tested in test/protocol/configuration.test.ts.

const domain = "docs.example.com";
const type = "docs-platform:StaticExport";
const provider = "pulumi:providers:docs-platform";

describe("the settings of the plugin", () => {
  it("are an explicit provider's own, in one program for two platforms, with a key that stays secret in the state", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const elsewhere = (apiKey: string) => ({
      resources: {
        here: { type, properties: { domain } },
        elsewhere: { type: provider, properties: { baseUrl: second.baseUrl, apiKey } },
        there: { type, properties: { domain }, options: { provider: reference("elsewhere") } },
      },
    });
    // The key is an output of a resource, which is unknown in the preview.
    const stack = await yamlStack(first, elsewhere(reference("here", "jobId")));
    expect(await stack.preview()).toMatchObject({ code: 0 });
    writeProject(stack, "yaml", elsewhere(second.apiKey));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect([first.starts, second.starts]).toEqual([1, 1]);
    expect(await stack.state("there")).toMatchObject({ id: second.jobs.list()[0]?.jobId });
    expect(JSON.stringify(await stack.resources())).not.toContain(second.apiKey);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    // A refresh does not run the program, so the key comes from the state.
    const looks = second.counts.getExport;
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(first.jobs.list()[0]?.jobId)] });
    expect(second.counts.getExport).toBeGreaterThan(looks);
  });

  it("are the environment's before those of the stack's configuration, and in a refresh those of now", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    const told = /the key of DOCS_PLATFORM_API_KEY goes to .*, which docs-platform:baseUrl sets/g;
    await stack.pulumi("config", "set", "docs-platform:baseUrl", platform.baseUrl);
    stack.environment.DOCS_PLATFORM_BASE_URL = undefined;
    const first = await stack.up();
    expect(first.code, first.output).toBe(0);
    expect(tally(first.requests)).toMatchObject({ [start]: 1 });
    expect(first.output.split("Diagnostics:")[1]?.match(told)).toHaveLength(1);
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    stack.environment.DOCS_PLATFORM_BASE_URL = platform.baseUrl;
    platform.apiKey = "svc_rotated-0123456789";
    await stack.pulumi("config", "set", "docs-platform:baseUrl", "http://127.0.0.1:9");
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
    const second = await stack.refresh();
    expect(second.code, second.output).toBe(0);
    expect(second.requests).toEqual([look(platform.jobs.list()[0]?.jobId)]);
    expect(second.output).not.toMatch(told);
  });
});

describe("a program that the state names as the source of a key", () => {
  it("runs in no refresh and in no destroy, for neither kind of provider; one that the program of now names runs", async () => {
    const platform = await testPlatform();
    const folder = temporaryFolder();
    const [ran, key] = [(name: string) => join(folder, name), join(folder, "key")];
    writeFileSync(key, platform.apiKey);
    const command = (name: string) => `sh -c "echo ran >> ${ran(name)}; cat ${key}"`;
    const provided = { type: provider, properties: { baseUrl: platform.baseUrl, apiKeyCommand: "" } };
    const stack = await yamlStack(platform);
    provided.properties.apiKeyCommand = command("now");
    const resources = {
      here: { type, properties: { domain } },
      elsewhere: provided,
      there: { type, properties: { domain }, options: { provider: reference("elsewhere") } },
    };
    writeProject(stack, "yaml", { resources });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(readFileSync(ran("now"), "utf8")).toBe("ran\n");

    const state = JSON.parse(readFileSync(stack.stateFile, "utf8"));
    const written = { apiKeyCommand: command("theirs"), signingKeyCommand: command("theirs") };
    for (const one of state.checkpoint.latest.resources) {
      if (one.type === provider) {
        Object.assign(one, { inputs: { ...one.inputs, ...written }, outputs: { ...one.outputs, ...written } });
      }
    }
    writeFileSync(stack.stateFile, JSON.stringify(state));
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const refused = await stack.refresh();
    expect(refused.code).toEqual(anError);
    expect(refused.output).toContain("only the state gives the setting apiKeyCommand");
    stack.environment.DOCS_PLATFORM_API_KEY = platform.apiKey;
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(existsSync(ran("theirs"))).toBe(false);
  });
});

describe("a secret in the export options", () => {
  it("reaches the platform, and is in clear neither in the state nor on the screen; another one starts another job", async () => {
    const front = await strangePlatform();
    const body = { domain };
    front.habit = { request: ({ operation, method, path }) => ({ operation, method, path, body }) };
    const tokens = ["0123456789abcdef-one", "0123456789abcdef-two"] as const;
    const site = (token: string) => ({
      resources: {
        site: {
          type,
          properties: { domain, exportOptions: { format: "html", nested: { token: { "fn::secret": token } } } },
        },
      },
    });
    const stack = await yamlStack(front, site(tokens[0]));
    for (const token of tokens) {
      writeProject(stack, "yaml", site(token));
      const { code, output, requests } = await stack.up();
      expect(code, output).toBe(0);
      expect(tally(requests)).toMatchObject({ [start]: 1 });
      const starts = front.requests.filter(({ operation }) => operation === "startExport");
      expect(starts.at(-1)?.body).toEqual({ domain, format: "html", nested: { token } });
      expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    }
    expect(leaks(join(stack.folder, "backend"), stack.printed, tokens)).toEqual([]);
  });
});

describe("a wait in the plugin", () => {
  it("ends when customTimeouts does and shows its progress; the next run continues with its job", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const site = (create: string) => ({
      resources: { site: { type, properties: { domain }, options: { customTimeouts: { create, update: create } } } },
    });
    const stack = await yamlStack(platform, site("3s"));
    const first = await stack.up();
    expect(first.code).toEqual(anError);
    expect(first.output).toContain("when waitTimeout (3s, of customTimeouts) ended");
    expect(first.output).toMatch(/StaticExport site creating \S+ \d+ %.* running, .*docs\.example\.com/);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect(await stack.state("site")).toMatchObject({ id: jobId, initErrors: [expect.stringContaining(jobId)] });
    platform.jobs.complete(jobId);
    writeProject(stack, "yaml", site("10m"));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });
});
