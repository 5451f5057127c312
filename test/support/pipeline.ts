import { cpSync } from "node:fs";
import { join } from "node:path";
import { pulumiEnvironment } from "../../tools/engines/pulumiDriver";
import { startProcess } from "../../tools/processes/startProcess";
import { projectRoot } from "../../tools/projectRoot";
import type { S3Server } from "./mirror/s3Server";
import { fastStart, laterClock, processEnvironment } from "./programFolder";
import { temporaryFolder } from "./temporaryFolder";
import { type Contexts, WorkflowRunner } from "./workflowRunner";

const example = join(projectRoot, "examples", "pipeline");

interface PipelineOptions {
  install(checkout: string): unknown;
  contexts?: Contexts;
  environment?: NodeJS.ProcessEnv;
  inPlaceOf?: Readonly<Record<string, string>>;
}

/** The two workflows of the example project, and the stack that they update. */
export class Pipeline {
  readonly #inPlaceOf: Readonly<Record<string, string>>;

  /** @param environment the environment of the commands that a user runs without a workflow. */
  private constructor(
    private readonly runner: WorkflowRunner,
    readonly environment: NodeJS.ProcessEnv,
    { inPlaceOf = {} }: PipelineOptions,
  ) {
    this.#inPlaceOf = inPlaceOf;
  }

  /** Creates the stack `docs`, as a user does once. It is removed after the test. */
  static async create(
    platform: Parameters<typeof processEnvironment>[0],
    bucket: S3Server,
    options: PipelineOptions,
  ): Promise<Pipeline> {
    const folder = temporaryFolder();
    const checkout = join(folder, "checkout");
    cpSync(example, checkout, { recursive: true });
    await options.install(checkout);
    const { DOCS_PLATFORM_BASE_URL = "", DOCS_PLATFORM_API_KEY = "", ...fast } = processEnvironment(platform);
    const { PULUMI_CONFIG_PASSPHRASE = "", ...ofStack } = await pulumiEnvironment(folder);
    const PULUMI_BACKEND_URL = `${bucket.destination("pipeline", "state")}&region=us-east-1&s3ForcePathStyle=true&disableSSL=true`;
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", ...ofBucket } = bucket.environment;
    const { VITEST: _, ...inherited } = process.env;
    const ofPlatform = { DOCS_PLATFORM_BASE_URL, DOCS_PLATFORM_JOURNAL: bucket.destination("pipeline", "journal") };
    const { vars, secrets } = options.contexts ?? {};
    const runner = new WorkflowRunner(
      folder,
      { ...inherited, ...fast, ...ofStack, ...ofBucket, PULUMI_NODEJS_TRANSPILE_ONLY: "true", ...options.environment },
      {
        vars: { ...ofPlatform, PULUMI_BACKEND_URL, ...vars },
        secrets: {
          ...{ PULUMI_CONFIG_PASSPHRASE, DOCS_PLATFORM_API_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
          ...secrets,
        },
      },
    );
    const ofPerson = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE };
    const env = { ...runner.environment, ...ofPerson };
    const { code, output } = await startProcess("pulumi", ["stack", "init", "docs"], { cwd: checkout, env }).ended;
    if (code !== 0) {
      throw new Error(output);
    }
    return new Pipeline(runner, env, options);
  }

  get folder(): string {
    return this.runner.folder;
  }

  /** Sets the commands' clock this many milliseconds ahead of the machine's clock. */
  setClockAhead(ahead: number): void {
    Object.assign(this.runner.environment, laterClock(ahead, fastStart().NODE_OPTIONS));
  }

  publish(sha: string): Promise<void> {
    return this.#run("publish", { github: { sha } });
  }

  renew(jobId = ""): Promise<void> {
    return this.#run("renew", { inputs: { jobId } });
  }

  #run(workflow: string, given: Contexts): Promise<void> {
    return this.runner.run(join(example, `${workflow}.yml`), workflow, given, this.#inPlaceOf);
  }
}
