import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { resources } from "../../provider/definitions/index";
import { serveRpc } from "../../provider/hosts/rpc/rpcServer";
import { createProvider } from "../../provider/hosts/terraform/methodTable";
import { allSettings } from "../../provider/settings/settingTable";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { startProcess } from "../../tools/processes/startProcess";
import { nodeBinary } from "../../tools/release/plugins/nodeBinary";
import { ownTarget } from "../../tools/release/plugins/target";
import { bundleProvider } from "../../tools/release/terraform/bundle";
import { startPlatform } from "./compiledPlatform";
import { nameOf, type Reached } from "./engineStack";
import { leaks, signatureMark } from "./leaks";
import { laterClock, rareCollections } from "./programFolder";

/** How one command of Terraform ended. */
interface Run {
  code: number | null;
  /** Standard output and standard error, as they came. */
  output: string;
  /** The requests that the platform counted while it ran, without the version prefix; downloads are not among them. */
  requests: string[];
}

/** A resource as the state file has it. */
interface StateResource {
  attributes: Record<string, unknown>;
  tainted: boolean;
}

const source = "example.com/docs/docsplatform";

/** What every configuration of the tests begins with. */
const header = `terraform {
  required_providers {
    docsplatform = { source = "${source}" }
  }
}
`;

/** An export, and a link to its bundle. */
export const siteAndBundle = `
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}
`;

let provider: Promise<Provider> | undefined;

/** What the tests of a file leave behind. They run side by side, so that it goes when all of them have ended. */
const left: (() => unknown)[] = [];

// Where it has to be fetched, a tool that is built at that time comes first.
beforeAll(() => nodeBinary(ownTarget()), 20 * 60_000);

afterAll(async () => {
  await Promise.all(left.splice(0).map((remove) => remove()));
});

/** Made once a process. */
interface Provider {
  folder: string;
  /** With it the provider runs on the Node.js of a release, and is compiled once: a command starts it up to five times. */
  environment: NodeJS.ProcessEnv;
}

async function makeProvider(): Promise<Provider> {
  const folder = mkdtempSync(join(tmpdir(), "terraform-provider-"));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  const [{ executable }] = await Promise.all([nodeBinary(ownTarget()), bundleProvider(folder, "0.0.0")]);
  const PATH = `${dirname(executable)}${delimiter}${process.env.PATH}`;
  return { folder, environment: { PATH, NODE_COMPILE_CACHE: join(folder, "compiled") } };
}

/** A configuration of its own on the real Terraform, in a folder of its own, removed after the test. */
export class TerraformStack {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "terraform-")));
  /** Added to the environment of each command. */
  readonly environment: NodeJS.ProcessEnv;

  readonly #platform: Reached;
  readonly #command: string;
  private constructor(platform: Reached, command: string, provider: Provider) {
    this.#platform = platform;
    this.#command = command;
    this.environment = {
      CHECKPOINT_DISABLE: "1",
      ...provider.environment,
      ...rareCollections,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_JOURNAL: join(this.folder, "journal"),
      TF_CLI_CONFIG_FILE: join(this.folder, "terraform.rc"),
    };
  }

  /** @param command what runs it; OpenTofu has the same commands. */
  static async create(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    provider ??= makeProvider();
    const made = await provider;
    const stack = new TerraformStack(platform, command, made);
    left.push(() => rmSync(stack.folder, { recursive: true, force: true }));
    stack.overrideWith(made.folder);
    stack.write(configuration);
    return stack;
  }

  /** The same with the provider in this process, which serves every run. One at a time: it takes this process's environment. */
  static async reattached(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    const stack = new TerraformStack(platform, command, { folder: "", environment: {} });
    const before = { ...process.env };
    Object.assign(process.env, stack.environment);
    const path = join(stack.folder, "provider.sock");
    const { close } = await serveRpc(() => createProvider(() => {}).methods, undefined, { path });
    const about = { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true };
    const address = { ...about, Addr: { Network: "unix", String: path } };
    stack.environment.TF_REATTACH_PROVIDERS = JSON.stringify({ [source]: address });
    onTestFinished(() => {
      close();
      process.env = before;
      rmSync(stack.folder, { recursive: true, force: true });
    });
    writeFileSync(join(stack.folder, "terraform.rc"), "");
    stack.write(configuration);
    return stack;
  }

  write(configuration: string, begin = header): void {
    writeFileSync(join(this.folder, "main.tf"), `${begin}${configuration}`);
  }

  /** The provider is the one of a folder, without an installation. */
  overrideWith(folder: string): void {
    const overrides = `provider_installation {\n  dev_overrides { "${source}" = "${folder}" }\n}\n`;
    writeFileSync(join(this.folder, "terraform.rc"), overrides);
  }

  /** The clock of the provider is ahead of this machine's, by milliseconds. */
  setClockAhead(ahead: number): void {
    Object.assign(this.environment, laterClock(ahead));
  }

  apply(...flags: string[]): Promise<Run> {
    return this.run("apply", "-auto-approve", ...flags);
  }

  /** With the exit code 2 where there is something to do. */
  plan(...flags: string[]): Promise<Run> {
    return this.run("plan", "-detailed-exitcode", ...flags);
  }

  destroy(): Promise<Run> {
    return this.run("destroy", "-auto-approve");
  }

  run(...commandLine: string[]): Promise<Run> {
    return this.start(...commandLine).ended;
  }

  start(...commandLine: string[]): { pid: number; interrupt(): void; ended: Promise<Run> } {
    const first = this.#platform.requests.length;
    const env = { ...process.env, ...this.environment };
    // A terminal would send a Ctrl-C to the whole group.
    const options = { cwd: this.folder, env, detached: true };
    const { child, ended } = startProcess(this.#command, [...commandLine, "-no-color"], options);
    const pid = child.pid ?? 0;
    const end = ended.then(({ code, output }) => {
      const requests = this.#platform.requests.slice(first).filter(({ operation }) => operation !== "download");
      expect(output, "an inconsistency").not.toMatch(/provider produced (inconsistent|invalid)/i);
      expect(output, "words of another host").not.toMatch(/pulumi(?!-docs-platform)|\bstacks?\b|\bpreview\b/i);
      expect(output, "names of another host").not.toMatch(camelCaseNames);
      expect(leaks(mkdirs(join(this.folder, "journal")), [output], [signatureMark, this.#platform.apiKey])).toEqual([]);
      return { code, output, requests: requests.map(nameOf) };
    });
    return { pid, interrupt: () => process.kill(-pid, "SIGINT"), ended: end };
  }

  /** The addresses of what the state file has of one type. */
  addresses(type: string): string[] {
    if (!existsSync(this.stateFile)) {
      return [];
    }
    const { resources = [] }: { resources?: StateEntry[] } = JSON.parse(readFileSync(this.stateFile, "utf8"));
    return resources.filter((one) => one.type === type && one.mode === "managed").map(({ name }) => `${type}.${name}`);
  }

  /** All that the state file has of a resource. */
  stateOf(address: string): StateEntry | undefined {
    const { resources = [] }: { resources?: StateEntry[] } = JSON.parse(readFileSync(this.stateFile, "utf8"));
    return resources.find(({ mode, type, name }) => mode === "managed" && `${type}.${name}` === address);
  }

  /** A resource by its address, as the state file has it. */
  state(address: string): StateResource | undefined {
    const current = this.stateOf(address)?.instances.find(({ deposed }) => deposed === undefined);
    return current && { attributes: current.attributes, tainted: current.status === "tainted" };
  }

  /** An output, as the state file has it. */
  output(name: string): unknown {
    return JSON.parse(readFileSync(this.stateFile, "utf8")).outputs[name]?.value;
  }

  /** As a person may, who knows what they do. */
  editState(change: (text: string) => string): void {
    const before = readFileSync(this.stateFile, "utf8");
    const after = change(before);
    expect(after, "the state is edited").not.toBe(before);
    writeFileSync(this.stateFile, after);
  }

  get stateFile(): string {
    return join(this.folder, "terraform.tfstate");
  }
}

/** What Terraform's users know by another name. `bundleUrl` is a key of the chart, too. */
const camelCaseNames = new RegExp(
  `\\b(${[
    ...Object.values(resources).flatMap(({ inputs, state }) => [...Object.keys(inputs), ...Object.keys(state)]),
    ...allSettings.map(({ name }) => name),
  ]
    .filter((name) => /^[a-z]+[A-Z]/.test(name) && name !== "bundleUrl")
    .join("|")})\\b`,
);

interface StateEntry {
  mode: string;
  type: string;
  name: string;
  instances: { attributes: Record<string, unknown>; status?: string; deposed?: string }[];
}

/** As a journal makes it: one that others may read is not used. */
function mkdirs(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A platform of its own for one test, whose jobs are soon done; closed after the test. */
export async function terraformPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 50, ...options });
  left.push(() => platform.close());
  return platform;
}

/** A configuration that was applied. */
export async function applied(
  platform: Platform,
  configuration = siteAndBundle,
  command = "terraform",
): Promise<TerraformStack> {
  const stack = await TerraformStack.create(platform, configuration, command);
  const { code, output } = await stack.apply();
  expect(code, output).toBe(0);
  return stack;
}

export const site = "docsplatform_static_export.site";
export const bundle = "docsplatform_export_bundle.bundle";
