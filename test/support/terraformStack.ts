import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { createProvider, type Provider } from "../../provider/hosts/terraform/methodTable";
import { resources } from "../../provider/resources/index";
import { serveRpc } from "../../provider/rpc/rpcServer";
import { allSettings } from "../../provider/settings/settingTable";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { providerSource, TerraformDriver } from "../../tools/engines/terraformDriver";
import { nodeBinary } from "../../tools/release/plugins/nodeBinary";
import { ownTarget } from "../../tools/release/plugins/target";
import { bundleProvider } from "../../tools/release/terraform/bundle";
import { startPlatform } from "./compiledPlatform";
import { type Reached, type Run, requestsSince } from "./engineStack";
import { leaks, signatureMark } from "./leaks";
import { laterClock, rareCollections } from "./programFolder";

/** A resource in the state file. */
interface StateResource {
  attributes: Record<string, unknown>;
  tainted: boolean;
}

/** The begin of every configuration in the tests. */
const header = `terraform {
  required_providers {
    docsplatform = { source = "${providerSource}" }
  }
}
`;

/** An export, and a link to its bundle. */
export const hclSiteAndBundle = `
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}
`;

let provider: Promise<Built> | undefined;

/**
 * The folders that the tests of a file leave. The tests run at the same time, so the folders are removed when all have
 * ended.
 */
const left: (() => unknown)[] = [];

// The time limit if Terraform must be built: another build may come first.
beforeAll(() => nodeBinary(ownTarget()), 20 * 60_000);

afterAll(async () => {
  await Promise.all(left.splice(0).map((remove) => remove()));
});

/** The provider, which is built once in each process. */
interface Built {
  folder: string;
  /** Runs the provider on a release's Node.js and compiles it once, because a command starts it up to five times. */
  environment: NodeJS.ProcessEnv;
}

async function makeProvider(): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), "terraform-provider-"));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  const [{ executable }] = await Promise.all([nodeBinary(ownTarget()), bundleProvider(folder, "0.0.0")]);
  const PATH = `${dirname(executable)}${delimiter}${process.env.PATH}`;
  return { folder, environment: { PATH, NODE_COMPILE_CACHE: join(folder, "compiled") } };
}

/** A configuration of its own, in a folder of its own that is removed after the test, and the requests of each run. */
export class TerraformStack extends TerraformDriver<Run> {
  readonly #platform: Reached;
  /** Ends the providers of a run that this process serves. */
  #endRun = async (_isKilled: boolean): Promise<void> => {};

  private constructor(platform: Reached, command: string) {
    super(realpathSync(mkdtempSync(join(tmpdir(), "terraform-"))), command);
    this.#platform = platform;
    Object.assign(this.environment, rareCollections, {
      DOCS_PLATFORM_API_KEY: platform.apiKey,
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    });
  }

  /** @param command the executable; OpenTofu has the same commands. */
  static async create(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    provider ??= makeProvider();
    const { folder, environment } = await provider;
    const stack = new TerraformStack(platform, command);
    left.push(() => rmSync(stack.folder, { recursive: true, force: true }));
    Object.assign(stack.environment, environment);
    stack.useProvider(folder);
    stack.write(configuration);
    return stack;
  }

  /**
   * Runs the provider in this process, which serves every run. One run at a time, because the run uses this process's
   * environment.
   */
  static async reattached(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    const stack = new TerraformStack(platform, command);
    const before = { ...process.env };
    Object.assign(process.env, stack.environment);
    const path = join(stack.folder, "provider.sock");
    const serving: { provider: Provider; ended: Promise<void> }[] = [];
    const serve = () => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const served = createProvider(resolve);
      serving.push({ provider: served, ended });
      return served.methods;
    };
    const { close } = await serveRpc(serve, undefined, { path });
    // Terraform shuts down only the providers that it has launched.
    stack.#endRun = async (isKilled) => {
      for (const { provider: served, ended } of serving.splice(0)) {
        if (isKilled) {
          await served.abandon();
        } else {
          served.methods.get(shutdown)?.(new Uint8Array(), {});
          await ended;
        }
      }
    };
    const about = { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true };
    const address = { ...about, Addr: { Network: "unix", String: path } };
    stack.environment.TF_REATTACH_PROVIDERS = JSON.stringify({ [providerSource]: address });
    onTestFinished(() => {
      close();
      process.env = before;
      rmSync(stack.folder, { recursive: true, force: true });
    });
    stack.write(configuration);
    return stack;
  }

  write(configuration: string, begin = header): void {
    writeFileSync(join(this.folder, "main.tf"), `${begin}${configuration}`);
  }

  /** Sets the provider's clock ahead of this machine's, by milliseconds. */
  setClockAhead(ahead: number): void {
    Object.assign(this.environment, laterClock(ahead));
  }

  run(...commandLine: string[]): Promise<Run> {
    return this.start(...commandLine).ended;
  }

  start(...commandLine: string[]): { pid: number; interrupt(): void; ended: Promise<Run> } {
    const first = this.#platform.requests.length;
    // A terminal would send Ctrl-C to the whole group.
    const { child, ended } = this.spawn([...commandLine, "-no-color"], { detached: true });
    const pid = child.pid ?? 0;
    const end = ended.then(async ({ code, output }) => {
      await this.#endRun(code === null);
      expect(output, "an inconsistency").not.toMatch(/provider produced (inconsistent|invalid)/i);
      expect(output, "words of another host").not.toMatch(/pulumi(?!-docs-platform)|\bstacks?\b|\bpreview\b/i);
      expect(output, "names of another host").not.toMatch(camelCaseNames);
      expect(leaks(mkdirs(join(this.folder, "journal")), [output], [signatureMark, this.#platform.apiKey])).toEqual([]);
      return { code, output, requests: requestsSince(this.#platform, first) };
    });
    return { pid, interrupt: () => process.kill(-pid, "SIGINT"), ended: end };
  }

  /** The processes of the provider that work for this configuration. */
  providers(): number[] {
    const read = (pid: string, name: string) => {
      try {
        return readFileSync(`/proc/${pid}/${name}`, "utf8");
      } catch {
        return "";
      }
    };
    return readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid) && read(pid, "environ").includes(this.folder))
      .filter((pid) => read(pid, "cmdline").includes("terraform-provider-docsplatform"))
      .map(Number);
  }

  /** The attributes of a resource in the state file, by its address. */
  state(address: string): StateResource | undefined {
    const current = this.stateOf(address)?.instances.find(({ deposed }) => deposed === undefined);
    return current && { attributes: current.attributes, tainted: current.status === "tainted" };
  }

  /** The ends of the addresses of a resource's instances in the state file, such as `[0]`; empty for a single one. */
  keysOf(address: string): string[] {
    const instances = this.stateOf(address)?.instances ?? [];
    const keys = instances.map(({ index_key: key }) => (key === undefined ? "" : `[${JSON.stringify(key)}]`));
    return [...new Set(keys)];
  }

  /** Edits the state as a person may who knows how. */
  editState(change: (text: string) => string): void {
    const before = readFileSync(this.stateFile, "utf8");
    const after = change(before);
    expect(after, "the state is edited").not.toBe(before);
    writeFileSync(this.stateFile, after);
  }
}

/** Words that Terraform's users know by another name. `bundleUrl` is also a key of the chart. */
const camelCaseNames = new RegExp(
  `\\b(${[
    ...Object.values(resources).flatMap(({ inputs, state }) => [...Object.keys(inputs), ...Object.keys(state)]),
    ...allSettings.map(({ name }) => name),
  ]
    .filter((name) => /^[a-z]+[A-Z]/.test(name) && name !== "bundleUrl")
    .join("|")})\\b`,
);

const shutdown = "/plugin.GRPCController/Shutdown";

/** A folder with the mode of a journal. A folder that others can read is not used. */
function mkdirs(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A platform for one test with fast jobs. It is closed after the test. */
export async function terraformPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 50, ...options });
  left.push(() => platform.close());
  return platform;
}

/** A configuration that was applied. */
export async function applied(
  platform: Platform,
  configuration = hclSiteAndBundle,
  command = "terraform",
): Promise<TerraformStack> {
  const stack = await TerraformStack.create(platform, configuration, command);
  const { code, output } = await stack.apply();
  expect(code, output).toBe(0);
  return stack;
}

export const siteAddress = "docsplatform_static_export.site";
export const bundleAddress = "docsplatform_export_bundle.bundle";
