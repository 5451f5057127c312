import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformDriver } from "../engines/terraformDriver";
import { executablesOnPath } from "../processes/executables";
import { projectRoot } from "../projectRoot";
import { bundleProvider } from "../release/terraform/bundle";
import { CountedCommands } from "./countedCommands";
import type { CountedRun, QuickstartStack } from "./quickstart";
import type { QuickstartPlatform } from "./target";

/** The outputs that the quickstart shows and the example lacks. */
const outputs = `output "jobId" {
  value = docsplatform_static_export.site.job_id
}
output "bundleUrl" {
  value     = docsplatform_export_bundle.bundle.bundle_url
  sensitive = true
}
output "values" {
  value     = yamlencode(provider::docsplatform::helm_values({ bundle = docsplatform_export_bundle.bundle }))
  sensitive = true
}
`;

/** The quickstart on Terraform: the unchanged HCL example, with the platform's domain. */
export class TerraformQuickstart extends TerraformDriver<CountedRun> implements QuickstartStack {
  readonly commands = { up: "terraform apply", destroy: "terraform destroy" };
  readonly valuesFile: string;
  readonly #counted: CountedCommands;
  readonly #domain: string;

  constructor(folder: string, target: QuickstartPlatform, signal: AbortSignal) {
    super(folder);
    this.#domain = target.domain;
    this.#counted = new CountedCommands(join(folder, "requests.txt"), target, signal);
    this.valuesFile = join(folder, "values.yaml");
    Object.assign(this.environment, this.#counted.environment);
  }

  async create(): Promise<void> {
    if (executablesOnPath("terraform").length === 0) {
      throw new Error("there is no terraform on PATH; `npm start` alone needs none.");
    }
    const provider = join(this.folder, "provider");
    await bundleProvider(provider, "0.0.0");
    this.useProvider(provider);
    copyFileSync(join(projectRoot, "examples", "terraform", "quickstart", "main.tf"), join(this.folder, "main.tf"));
    writeFileSync(join(this.folder, "outputs.tf"), outputs);
    this.#override("domain", "docsplatform_static_export", "site", this.#domain);
  }

  async setRenewBefore(duration: string): Promise<void> {
    this.#override("renew_before", "docsplatform_export_bundle", "bundle", duration);
  }

  /** Runs a command whose output is shown to a person. */
  run(...commandLine: string[]): Promise<CountedRun> {
    return this.#counted.show(
      (options) => this.spawn(commandLine, options),
      (code) => `terraform ${commandLine[0]} ended with ${code ?? "a signal"}`,
    );
  }

  async up(): Promise<CountedRun> {
    const run = await this.apply();
    writeFileSync(this.valuesFile, String(this.output("values") ?? ""), { mode: 0o600 });
    return run;
  }

  async outputs(): Promise<Record<string, string>> {
    const names = { jobId: "jobId", version: "version", bundleUrl: "bundleUrl", expiresAt: "expires_at" };
    return Object.fromEntries(Object.entries(names).map(([name, output]) => [name, String(this.output(output) ?? "")]));
  }

  async jobId(): Promise<string | undefined> {
    const id = this.stateOf("docsplatform_static_export.site")?.instances[0]?.attributes.job_id;
    return typeof id === "string" ? id : undefined;
  }

  /** Terraform merges such a file's blocks into the resources of the same name. */
  #override(argument: string, type: string, name: string, value: string): void {
    const text = `resource "${type}" "${name}" {\n  ${argument} = ${JSON.stringify(value)}\n}\n`;
    writeFileSync(join(this.folder, `${argument}_override.tf`), text);
  }
}
