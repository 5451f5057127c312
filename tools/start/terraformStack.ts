import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executablesOnPath } from "../processes/executables";
import { projectRoot } from "../projectRoot";
import { bundleProvider } from "../release/terraform/bundle";
import { countedEnvironment, type QuickstartStack, type Run, RunFailed, requestsIn, runInterruptibly } from "./stack";
import type { Target } from "./target";

/** What the quickstart shows beyond the example. */
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

/** The same quickstart on Terraform: its example for HCL as it stands, with the platform's domain. */
export class TerraformStack implements QuickstartStack {
  readonly commands = { up: "terraform apply", destroy: "terraform destroy" };
  readonly valuesFile: string;
  readonly #requestsFile: string;
  readonly #environment: NodeJS.ProcessEnv;

  readonly #folder: string;
  readonly #target: Target;
  readonly #signal: AbortSignal;

  constructor(folder: string, target: Target, signal: AbortSignal) {
    this.#folder = folder;
    this.#target = target;
    this.#signal = signal;
    this.valuesFile = join(folder, "values.yaml");
    this.#requestsFile = join(folder, "requests.txt");
    this.#environment = {
      ...countedEnvironment(target, this.#requestsFile),
      CHECKPOINT_DISABLE: "1",
      DOCS_PLATFORM_JOURNAL: join(folder, "journal"),
      TF_CLI_CONFIG_FILE: join(folder, "terraform.rc"),
    };
  }

  async create(): Promise<void> {
    if (executablesOnPath("terraform").length === 0) {
      throw new Error("there is no terraform on PATH; `npm start` alone needs none.");
    }
    const provider = join(this.#folder, "provider");
    await bundleProvider(provider, "0.0.0");
    const overrides = `dev_overrides {\n    "example.com/docs/docsplatform" = "${provider}"\n  }`;
    writeFileSync(join(this.#folder, "terraform.rc"), `provider_installation {\n  ${overrides}\n}\n`);
    copyFileSync(join(projectRoot, "examples", "terraform", "quickstart", "main.tf"), join(this.#folder, "main.tf"));
    writeFileSync(join(this.#folder, "outputs.tf"), outputs);
    this.#override("domain", "docsplatform_static_export", "site", this.#target.domain);
  }

  async setRenewBefore(duration: string): Promise<void> {
    this.#override("renew_before", "docsplatform_export_bundle", "bundle", duration);
  }

  async up(): Promise<Run> {
    const run = await this.#show("apply");
    const { values = "" } = await this.outputs();
    writeFileSync(this.valuesFile, values, { mode: 0o600 });
    return run;
  }

  destroy(): Promise<Run> {
    return this.#show("destroy");
  }

  async outputs(): Promise<Record<string, string>> {
    const { expires_at, ...told } = this.#state().outputs ?? {};
    const named = Object.entries({ ...told, expiresAt: expires_at });
    return Object.fromEntries(named.map(([name, output]) => [name, output?.value ?? ""]));
  }

  async jobId(): Promise<string | undefined> {
    const found = this.#state().resources?.find(({ type }) => type === "docsplatform_static_export");
    return found?.instances[0]?.attributes.job_id;
  }

  /** Terraform merges what such a file says of a resource into the resource. */
  #override(argument: string, type: string, name: string, value: string): void {
    const text = `resource "${type}" "${name}" {\n  ${argument} = ${JSON.stringify(value)}\n}\n`;
    writeFileSync(join(this.#folder, `${argument}_override.tf`), text);
  }

  #state(): State {
    return JSON.parse(readFileSync(join(this.#folder, "terraform.tfstate"), "utf8"));
  }

  async #show(command: "apply" | "destroy"): Promise<Run> {
    const before = requestsIn(this.#requestsFile).length;
    const begin = Date.now();
    const options = {
      cwd: this.#folder,
      environment: this.#environment,
      output: "inherit",
      signal: this.#signal,
    } as const;
    const { code } = await runInterruptibly("terraform", [command, "-auto-approve"], options);
    if (code !== 0) {
      throw new RunFailed(`terraform ${command} ended with ${code ?? "a signal"}`);
    }
    return { seconds: (Date.now() - begin) / 1_000, requests: requestsIn(this.#requestsFile).slice(before) };
  }
}

/** What is used of a state file. */
interface State {
  outputs?: Record<string, { value: string } | undefined>;
  resources?: { type: string; instances: { attributes: { job_id?: string } }[] }[];
}
