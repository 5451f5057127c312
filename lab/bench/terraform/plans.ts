import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { startPlatform } from "../../../simulator/index";
import { TerraformDriver } from "../../../tools/engines/terraformDriver";
import { archiveOf, terraformProvider, version } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";

/** A configuration that was applied, so that each plan finds nothing to do. */
export interface AppliedConfiguration {
  name: string;
  /** The CPU time of one plan, with Terraform and all processes that it starts, in milliseconds. */
  plan(): Promise<number>;
  /** The number of requests that one plan sends. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

/** Exports of this provider whose jobs are all completed. */
export async function ours(count: number): Promise<AppliedConfiguration> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
  const environment = { DOCS_PLATFORM_BASE_URL: platform.baseUrl, DOCS_PLATFORM_API_KEY: platform.apiKey };
  const resource = `resource "docsplatform_static_export" "site" {\n  count  = ${count}\n  domain = "docs\${count.index}.example.com"\n}\n`;
  return side("docsplatform", resource, environment, {
    place: unpackRelease,
    counted: () => platform.requests.length,
    close: () => platform.close(),
  });
}

/**
 * Puts the executable of a release into a folder, as users install it.
 * @returns the executable.
 */
export async function unpackRelease(folder: string): Promise<string> {
  const name = terraformProvider.executable(version);
  const { [name]: executable = "" } = unzipSync(readFileSync(await archiveOf(terraformProvider, ownTarget())));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, executable, { mode: 0o755 });
  return file;
}

/** A configuration with this many objects of the generic provider for REST interfaces. */
export async function restapi(count: number, executable: string): Promise<AppliedConfiguration> {
  const objects = new Map<string, string>();
  let counted = 0;
  const server = createServer(async (request, response) => {
    counted++;
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    if (request.method === "POST") {
      objects.set(JSON.parse(body).id, body);
    }
    const found = objects.get(request.url?.split("/").at(-1) ?? "") ?? body;
    response.writeHead(found === "" ? 404 : 200, { "content-type": "application/json" });
    response.end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider = `provider "restapi" {\n  uri = "http://127.0.0.1:${port}"\n  write_returns_object = true\n}\n`;
  const resource = `resource "restapi_object" "one" {\n  count = ${count}\n  path  = "/objects"\n  data  = jsonencode({ id = "o\${count.index}" })\n}\n`;
  return side(
    "restapi",
    `${provider}${resource}`,
    {},
    {
      place: async (folder) => {
        mkdirSync(folder, { recursive: true });
        spawnSync("ln", ["-s", executable, join(folder, "terraform-provider-restapi")]);
      },
      counted: () => counted,
      close: async () => void server.close(),
    },
  );
}

/** A configuration whose runs are measured. */
class BenchConfiguration extends TerraformDriver<number> {
  constructor() {
    // The shell reports the CPU time of all processes that it has started.
    super(mkdtempSync(join(tmpdir(), "bench-terraform-")), "bash");
  }

  /**
   * @returns the CPU of the command and of all that it starts, in milliseconds.
   * @throws Error with what it printed, where it fails.
   */
  async run(...commandLine: string[]): Promise<number> {
    const { code, stdout, stderr } = await this.spawn(["-c", `terraform ${commandLine.join(" ")} >&2 && times`]).ended;
    if (code !== 0) {
      throw new Error(stderr);
    }
    const [, children = ""] = stdout.trim().split("\n");
    const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
    );
    return parts.reduce((sum, part) => sum + part, 0) * 1_000;
  }
}

async function side(
  name: string,
  content: string,
  environment: NodeJS.ProcessEnv,
  { place, counted, close }: { place(folder: string): Promise<unknown>; counted(): number; close(): Promise<void> },
): Promise<AppliedConfiguration> {
  const configuration = new BenchConfiguration();
  const { folder } = configuration;
  Object.assign(configuration.environment, environment);
  const source = `bench.example.com/bench/${name}`;
  await place(join(folder, "provider"));
  configuration.useProvider(join(folder, "provider"), source);
  const required = `terraform {\n  required_providers {\n    ${name} = { source = "${source}" }\n  }\n}\n`;
  writeFileSync(join(folder, "main.tf"), `${required}${content}`);
  await configuration.apply("-parallelism=50");
  return {
    name,
    plan: () => configuration.plan(),
    requests: async () => {
      const before = counted();
      await configuration.plan();
      return counted() - before;
    },
    close: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
