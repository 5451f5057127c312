import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { delimiter, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { nodeArchive } from "../../../tools/release/plugins/nodeArchive";
import { pluginRelease, version } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { listen } from "../../support/loopback";
import { yaml } from "./hosts";
import { writeYaml, yamlSiteAndBundle } from "./yamlStack";

const { pluginDownloadURL } = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
const asset = `/${pluginRelease.archive(version, ownTarget())}`;
const options = { version, pluginDownloadURL };

it("the plugin is fetched by a program itself, from the address in the schema", async () => {
  const stack = await testStack(await testPlatform(), {});
  await yaml.prepare(stack);
  // A YAML program has no SDK that sets the download address, so each resource sets it.
  const resources = Object.entries({ ...yamlSiteAndBundle.resources });
  const addressed = resources.map(([name, resource]) => [name, { ...Object(resource), options }]);
  writeYaml(stack, { ...yamlSiteAndBundle, resources: Object.fromEntries(addressed) });
  // The archive contains the plugin without Node.js, so the plugin runs on the installed Node.js.
  const archive = await nodeArchive();
  const asked: string[] = [];
  const server = http.createServer(({ url = "" }, response) => {
    asked.push(url);
    // The engine refuses an archive of unknown length.
    response.writeHead(url === asset ? 200 : 404, { "content-length": url === asset ? archive.length : 0 });
    response.end(url === asset ? archive : "");
  });
  const { url } = await listen(server);
  // Removes from PATH the folders that contain this project's plugin.
  const path = String(stack.environment.PATH).split(delimiter);
  const others = path.filter((folder) => !existsSync(join(folder, pluginRelease.executable(version))));
  Object.assign(stack.environment, {
    // The removed folders may have contained Node.js.
    PATH: [dirname(process.execPath), ...others].join(delimiter),
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined,
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=${url}`,
  });
  const { code, output, requests } = await stack.up();
  expect(code, output).toBe(0);
  expect(asked).toEqual([asset]);
  const { jobId } = await stack.outputs();
  expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
  expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  expect(asked).toEqual([asset]);
});
