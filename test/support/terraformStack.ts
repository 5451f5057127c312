import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { createTerraformProvider, type TerraformProvider } from "../../provider/hosts/terraform/methodTable";
import { resources } from "../../provider/resources/index";
import { serveRpc } from "../../provider/rpc/rpcServer";
import { allSettings } from "../../provider/settings/settingTable";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { startProcess } from "../../tools/processes/startProcess";
import { afterTestFile } from "./afterTestFile";
import { startPlatform } from "./compiledPlatform";
import { type Reached, type Run, requestsSince } from "./engineStack";
import { leaks, signatureMark } from "./leaks";
import { processesWithEnvironment, readProc } from "./osProcesses";
import { printOnFailure } from "./printOnFailure";
import { laterClock, rareCollections } from "./programFolder";
import { builtProvider } from "./terraform/builtProvider";
import { readState, type StateEntry } from "./terraformState";
import { until } from "./until";

const providerSource = "pulumi-docs-platform/docsplatform";

const header = `terraform {
  required_providers {
    docsplatform = { source = "${providerSource}" }
  }
}
`;

export function exportOf(more = "", name = "site"): string {
  return `resource "docsplatform_static_export" "${name}" {\n  domain = "docs.example.com"\n${more}}\n`;
}

export const hclSiteAndBundle = `
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}
`;

/** Saves this process's environment. Returns a function that restores it. */
function keepEnvironment(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env).filter((added) => !(added in before))) {
      delete process.env[name];
    }
    Object.assign(process.env, before);
  };
}

/** A Terraform configuration in a new folder. Each command's result contains the requests that the platform got. */
export class TerraformStack {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "terraform-")));
  readonly stateFile = join(this.folder, "terraform.tfstate");
  /** These variables are added to the environment of each command. The value `undefined` removes a variable. */
  readonly environment: NodeJS.ProcessEnv;
  #built = "";
  /** Ends the provider that runs in this process. Does nothing if Terraform starts the provider. */
  #endRun = async (_isKilled: boolean): Promise<void> => {};

  private constructor(
    private readonly platform: Reached,
    private readonly command: string,
  ) {
    this.environment = {
      CHECKPOINT_DISABLE: "1",
      TF_CLI_CONFIG_FILE: join(this.folder, "terraform.rc"),
      ...rareCollections,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_JOURNAL: join(this.folder, "journal"),
    };
    writeFileSync(join(this.folder, "terraform.rc"), "");
  }

  /** @param command the executable, such as `terraform` or `tofu`. */
  static async create(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    const { folder, environment } = await builtProvider();
    const stack = new TerraformStack(platform, command);
    afterTestFile(() => rmSync(stack.folder, { recursive: true, force: true }));
    Object.assign(stack.environment, environment);
    stack.#built = folder;
    stack.useProvider();
    stack.write(configuration);
    return stack;
  }

  /** The provider runs in this process and uses its environment, so only one run at a time is possible. */
  static async reattached(platform: Reached, configuration: string, command = "terraform"): Promise<TerraformStack> {
    const stack = new TerraformStack(platform, command);
    const setAgain = keepEnvironment();
    Object.assign(process.env, stack.environment);
    // The provider's log (standard error) is discarded, because Terraform shows it only if a user asks for it.
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const path = join(stack.folder, "provider.sock");
    const serving: { provider: TerraformProvider; ended: Promise<void> }[] = [];
    const serve = () => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const served = createTerraformProvider(resolve);
      serving.push({ provider: served, ended });
      return served.methods;
    };
    const { close } = await serveRpc(serve, undefined, { path });
    // Terraform does not shut down a provider that it did not start. So this function ends the provider after each run.
    stack.#endRun = async (isKilled) => {
      for (const { provider: served, ended } of serving.splice(0)) {
        if (isKilled) {
          await served.abandon();
        } else {
          served.methods.get(shutdown)?.(new Uint8Array());
          await ended;
        }
      }
    };
    const about = { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true };
    const address = { ...about, Addr: { Network: "unix", String: path } };
    stack.environment.TF_REATTACH_PROVIDERS = JSON.stringify({ [providerSource]: address });
    onTestFinished(() => {
      close();
      log.mockRestore();
      setAgain();
      rmSync(stack.folder, { recursive: true, force: true });
    });
    stack.write(configuration);
    return stack;
  }

  /** Sets the provider's clock this many milliseconds ahead of the machine's clock. */
  setClockAhead(ahead: number): void {
    Object.assign(this.environment, laterClock(ahead, this.environment.NODE_OPTIONS));
  }

  /** Makes Terraform use the provider in this folder (default: the built provider), and ask no registry. */
  useProvider(folder = this.#built): void {
    const overrides = `dev_overrides {\n    "${providerSource}" = "${folder}"\n  }`;
    writeFileSync(join(this.folder, "terraform.rc"), `provider_installation {\n  ${overrides}\n}\n`);
  }

  write(configuration: string, begin = header): void {
    writeFileSync(join(this.folder, "main.tf"), `${begin}${configuration}`);
  }

  run(...commandLine: string[]): Promise<Run> {
    return this.start(...commandLine).ended;
  }

  apply(...flags: string[]): Promise<Run> {
    return this.run("apply", "-auto-approve", ...flags);
  }

  /** Runs `terraform plan`. The exit code is 2 if there is something to do. */
  plan(...flags: string[]): Promise<Run> {
    return this.run("plan", "-detailed-exitcode", ...flags);
  }

  destroy(): Promise<Run> {
    return this.run("destroy", "-auto-approve");
  }

  /** Runs an apply. Returns the output without Terraform's frames and line breaks. */
  async expectApply(code: number, ...flags: string[]): Promise<string> {
    const run = await this.apply(...flags);
    expect(run.code, run.output).toBe(code);
    return run.output.replace(/[\s│╷╵]+/g, " ");
  }

  async expectNothingToDo(): Promise<void> {
    const plan = await this.plan();
    expect(plan, plan.output).toMatchObject({ code: 0, requests: [] });
  }

  start(...commandLine: string[]): { pid: number; interrupt(): void; ended: Promise<Run> } {
    const first = this.platform.requests.length;
    // The command has its own process group, because a terminal sends Ctrl-C to the whole group.
    const env = { ...process.env, ...this.environment };
    const options = { cwd: this.folder, env, detached: true };
    const { child, ended } = startProcess(this.command, [...commandLine, "-no-color"], options);
    const pid = child.pid ?? 0;
    const end = ended.then(async ({ code, output }) => {
      await this.#endRun(code === null);
      printOnFailure(`terraform ${commandLine.join(" ")}: exit code ${code}`, output);
      expect(output, "an inconsistency").not.toMatch(/provider produced (inconsistent|invalid)/i);
      expect(output, "words of another host").not.toMatch(/pulumi(?!-docs-platform)|\bstacks?\b|\bpreview\b/i);
      // Placeholders in routes, such as `{jobId}`, have the same names on every host, so they are not checked.
      expect(output.replace(/\{\w+\}/g, ""), "names of another host").not.toMatch(camelCaseNames);
      const journal = join(this.folder, "journal");
      // The folder is private, because the provider does not use a journal that other users can read.
      mkdirSync(journal, { recursive: true, mode: 0o700 });
      expect(leaks(journal, [output], [signatureMark, this.platform.apiKey])).toEqual([]);
      return { code, output, requests: requestsSince(this.platform, first) };
    });
    return { pid, interrupt: () => process.kill(-pid, "SIGINT"), ended: end };
  }

  providers(): number[] {
    return processesWithEnvironment(this.folder).filter((pid) =>
      readProc(pid, "cmdline").includes("terraform-provider-docsplatform"),
    );
  }

  addresses(type: string): string[] {
    const { resources } = readState(this.stateFile);
    return resources.filter((one) => one.type === type && one.mode === "managed").map(({ name }) => `${type}.${name}`);
  }

  stateOf(address: string): StateEntry | undefined {
    const { resources } = readState(this.stateFile);
    return resources.find(({ mode, type, name }) => mode === "managed" && `${type}.${name}` === address);
  }

  output(name: string): unknown {
    return readState(this.stateFile).outputs[name]?.value;
  }

  state(address: string): { attributes: Record<string, unknown>; tainted: boolean } | undefined {
    const current = this.stateOf(address)?.instances.find(({ deposed }) => deposed === undefined);
    return current && { attributes: current.attributes, tainted: current.status === "tainted" };
  }

  /** Returns the index of each instance, such as `[0]`. The index of a single instance is empty. */
  keysOf(address: string): string[] {
    const instances = this.stateOf(address)?.instances ?? [];
    const keys = instances.map(({ index_key: key }) => (key === undefined ? "" : `[${JSON.stringify(key)}]`));
    return [...new Set(keys)];
  }
}

/** Matches camelCase names, which Terraform does not use. `bundleUrl` is left out, because it is also a Helm value. */
const camelCaseNames = new RegExp(
  `\\b(${[
    ...Object.values(resources).flatMap(({ inputs, state }) => [...Object.keys(inputs), ...Object.keys(state)]),
    ...allSettings.map(({ name }) => name),
  ]
    .filter((name) => /^[a-z]+[A-Z]/.test(name) && name !== "bundleUrl")
    .join("|")})\\b`,
);

const shutdown = "/plugin.GRPCController/Shutdown";

export async function terraformPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 50, ...options });
  afterTestFile(() => platform.close());
  return platform;
}

export function executableOf({ folder }: TerraformStack): string {
  const [, built = ""] = /" = "(.*)"/.exec(readFileSync(join(folder, "terraform.rc"), "utf8")) ?? [];
  return join(built, String(readdirSync(built).find((name) => name.startsWith("terraform-provider-docsplatform"))));
}

/** Kills Terraform, and resolves when the provider has also ended. */
export async function killTerraform({
  run,
  stack,
}: {
  run: ReturnType<TerraformStack["start"]>;
  stack: TerraformStack;
}): Promise<void> {
  process.kill(run.pid, "SIGKILL");
  await run.ended;
  await until(() => stack.providers().length === 0, 200);
}

/** Completes all jobs. Jobs that start later are completed at once. */
export function completeAll(platform: Platform): void {
  platform.jobTime = 0;
  for (const { jobId } of platform.jobs.list()) {
    platform.jobs.complete(jobId);
  }
}

export async function applied(
  platform: Platform,
  configuration = hclSiteAndBundle,
  command = "terraform",
): Promise<TerraformStack> {
  const stack = await TerraformStack.create(platform, configuration, command);
  await stack.expectApply(0);
  return stack;
}

export const siteAddress = "docsplatform_static_export.site";
export const bundleAddress = "docsplatform_export_bundle.bundle";
