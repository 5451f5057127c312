import { existsSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { nodeArchive } from "../../../tools/release/plugins/nodeArchive";
import { pluginRelease, version } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { type Loopback, listen } from "../../support/loopback";
import { type ProgramHost, reference, yaml } from "./hosts";
import { languages } from "./languages";

const { pluginDownloadURL } = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
const asset = `/${pluginRelease.archive(version, ownTarget())}`;
const options = { version, pluginDownloadURL };

/** Serves the plugin under the name of this machine's archive: the small form, which runs on the installed Node.js. */
async function serveArchive(): Promise<Loopback & { asked: string[] }> {
  const archive = await nodeArchive();
  const asked: string[] = [];
  const server = http.createServer(({ url = "" }, response) => {
    asked.push(url);
    // The engine refuses an archive of unknown length.
    response.writeHead(url === asset ? 200 : 404, { "content-length": url === asset ? archive.length : 0 });
    response.end(url === asset ? archive : "");
  });
  return Object.assign(await listen(server), { asked });
}

/** A YAML program names the address itself, because it has no SDK that does so. */
const yamlProgram: ProgramHost = {
  ...yaml,
  async prepare(stack) {
    await yaml.prepare(stack);
    const site = { type: "docs-platform:StaticExport", properties: { domain: "docs.example.com" }, options };
    const bundle = {
      type: "docs-platform:ExportBundle",
      properties: { jobId: reference("site", "jobId") },
      options,
    };
    const program = { resources: { site, bundle }, outputs: { jobId: reference("site", "jobId") } };
    writeFileSync(
      join(stack.folder, "Pulumi.yaml"),
      JSON.stringify({ name: "lifecycle", runtime: "yaml", ...program }),
    );
  },
};

/** A program of a language, in a project that does not name the plugin's place. */
function withoutPath(host: ProgramHost): ProgramHost {
  return {
    ...host,
    async prepare(stack) {
      await host.prepare(stack);
      const file = join(stack.folder, "Pulumi.yaml");
      const { plugins: _, ...project } = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify(project));
      host.declare(stack, { site: { domain: "docs.example.com" }, bundle: {} });
    },
  };
}

async function expectFetched(stack: EngineStack): Promise<void> {
  const server = await serveArchive();
  // A package manager puts the project's own plugin there, too.
  const path = String(stack.environment.PATH).split(delimiter);
  const others = path.filter((folder) => !existsSync(join(folder, pluginRelease.executable(version))));
  // The folder of the package's own commands is one of them. The Node.js of this process is in another folder.
  const PATH = [dirname(process.execPath), ...others].join(delimiter);
  Object.assign(stack.environment, {
    PATH,
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined,
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=${server.url}`,
  });
  const { code, output, requests } = await stack.up();
  expect(code, output).toBe(0);
  expect(server.asked).toEqual([asset]);
  const { jobId } = await stack.outputs();
  expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
  // An installed plugin is not downloaded again.
  expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  expect(server.asked).toEqual([asset]);
}

const generated = (["generatedNode", "python"] as const).flatMap((name): [string, ProgramHost][] => {
  const host = languages[name];
  return host === undefined ? [] : [[name, withoutPath(host)]];
});

describe("the plugin is fetched", () => {
  it("by one line, from a server of one's own", async () => {
    const stack = await testStack(await testPlatform(), {});
    const { url, asked } = await serveArchive();
    const line = ["plugin", "install", "resource", "docs-platform", version, "--server", url];
    const { code, output } = await stack.pulumi(...line);
    expect(code, output).toBe(0);
    expect(asked).toEqual([asset]);
    expect((await stack.pulumi("plugin", "ls")).output).toMatch(new RegExp(`docs-platform +resource +${version}`));
  });

  it.each<[string, ProgramHost]>([["YAML", yamlProgram], ...(campaign ? generated : [])])(
    "by a program in %s itself, from the address in the schema",
    async (_, host) => {
      const stack = await testStack(await testPlatform(), {});
      await host.prepare(stack);
      await expectFetched(stack);
    },
    1_200_000,
  );
});
