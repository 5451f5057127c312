import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { projectRoot } from "../../tools/projectRoot";
import { getTool } from "../../tools/toolchain/getTool";

const workflows = ["examples/pipeline/publish.yml", "examples/pipeline/renew.yml"];
const own = ["ci", "newest", "release"].map((name) => `.github/workflows/${name}.yml`);

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

const companyWorkflow = read("examples/company/docs.yml");

describe("workflows, by actionlint", () => {
  let actionlint: string;
  beforeAll(async () => {
    actionlint = await getTool("actionlint");
  }, 600_000);

  // The results of the shellcheck and pyflakes checks depend on the machine. This version of the linter does not know
  // `queue` in a concurrency group.
  const flags = ["-no-color", "-shellcheck=", "-pyflakes=", "-ignore", 'unexpected key "queue" for "concurrency"', "-"];
  const lint = (text: string) => spawnSync(actionlint, flags, { input: text, encoding: "utf8" });

  it.each([...workflows, ...own])("are without a fault: %s", (file) => {
    const { status, stdout } = lint(read(file));
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });

  it("are without a fault: the one of a company with a vault", () => {
    const { status, stdout } = lint(companyWorkflow);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(companyWorkflow).not.toContain("secrets.DOCS_PLATFORM");
  });

  it("would be refused with one", () => {
    const { status, stdout } = lint(read("examples/pipeline/publish.yml").replace("secrets.", "secret."));
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining('undefined variable "secret"') });
  });
});

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, { steps: Step[]; permissions?: Record<string, string>; concurrency?: object }>;
}

const parsed = (file: string): Workflow => parse(read(file));

describe("workflows", () => {
  it.each([...workflows, ...own])("pin each action by the digest of a commit, and show its version: %s", (file) => {
    const used = read(file).match(/(?<=uses: ).*/g) ?? [];
    // GitHub's cache actions are pinned by version and not by commit, so this check ignores them.
    const pinned = used.filter((action) => !action.startsWith("actions/cache/"));
    expect(pinned.length).toBeGreaterThan(2);
    expect(pinned.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it.each(own)(
    "of the project contain no secret but the key of signatures and the token of the provider's repository, since registries trust the workflow: %s",
    (file) => {
      const steps = Object.values(parsed(file).jobs).flatMap((job) => job.steps);
      const held = steps.flatMap(({ run = "", env }) =>
        (JSON.stringify(env)?.match(/secrets\.\w+/g) ?? []).map((secret) => [secret, run.split(" ")[0]]),
      );
      const provider = "secrets.PROVIDER_REPOSITORY_TOKEN";
      const expected = [
        ["secrets.RELEASE_SIGNING_KEY", ".ci/sign"],
        [provider, "gh"],
        [provider, "gh"],
      ];
      expect(held).toEqual(file.endsWith("release.yml") ? expected : []);
      expect(read(file).match(/secrets\./g) ?? []).toHaveLength(held.length);
    },
  );

  it.each([...workflows, ...own, companyWorkflow])(
    "install no package in a job that has a right or a secret: %s",
    (file) => {
      const { permissions, jobs } = file.includes("\n") ? (parse(file) as Workflow) : parsed(file);
      expect(permissions).toEqual({ contents: "read" });
      const installing = Object.values(jobs).filter(({ steps }) =>
        steps.some(({ run = "" }) => /\b(npm (ci|install|test)|npx|pipx?|npm run)\b/.test(run)),
      );
      expect(installing.length).toBeGreaterThan(0);
      for (const { permissions: own = {}, ...job } of installing) {
        expect(job).not.toHaveProperty("environment");
        expect(JSON.stringify(job)).not.toContain("secrets.");
        expect(Object.entries(own).filter(([_, right]) => right !== "read")).toEqual([]);
      }
    },
  );

  it.each(workflows)("give a secret to the step that updates the stack and delivers, and to no other: %s", (file) => {
    const steps = Object.values(parsed(file).jobs).flatMap((job) => job.steps);
    const withSecrets = steps.filter((step) => JSON.stringify(step).includes("secrets."));
    expect(withSecrets.map(({ run = "" }) => run.includes("./update.sh") && run.includes("./deliver.sh"))).toEqual([
      true,
    ]);
    const inSteps = JSON.stringify(steps).match(/secrets\./g);
    expect(read(file).match(/secrets\./g)).toEqual(inSteps);
  });

  it("give a pull request nothing that reads or writes the stack of the main branch", () => {
    const { jobs } = parsed("examples/pipeline/publish.yml");
    const { preview, ...others } = jobs;
    expect(JSON.stringify(preview)).not.toMatch(/secrets\.|DOCS_PLATFORM_API_KEY|DOCS_PLATFORM_JOURNAL/);
    expect(preview?.steps.at(-1)?.with).toMatchObject({ "stack-name": "preview", "cloud-url": "file:///tmp" });
    expect(others).toEqual({
      build: expect.objectContaining({ if: "github.event_name != 'pull_request'" }),
      publish: expect.objectContaining({ needs: "build" }),
    });
  });

  it("export and renew in one group, in which nothing is cancelled, and let pull requests not wait", () => {
    const [publish, renew] = workflows.map((file) => parsed(file).jobs);
    const group = { group: "docs", queue: "max" };
    expect([publish?.publish?.concurrency, renew?.renew?.concurrency]).toEqual([group, group]);
    expect(publish?.preview).not.toHaveProperty("concurrency");
  });

  it("differ in nothing but the job and the revision", () => {
    const [publish, renew] = workflows.map((file) => parsed(file).jobs);
    const setUp = (steps: Step[] = []) => steps.slice(0, -1);
    expect(setUp(renew?.renew?.steps)).toEqual(setUp(publish?.publish?.steps));
    expect(renew?.build).toEqual({ ...publish?.build, if: undefined });
  });
});

it("the workflow of a company exports the commit's revision, and stores no key but the token of the backend", () => {
  const steps = (parse(companyWorkflow) as Workflow).jobs.publish?.steps ?? [];
  expect(steps.filter(({ run = "" }) => run.includes("pulumi up ")).map(({ run }) => run)).toEqual([
    expect.stringContaining('--config revision="$GITHUB_SHA"'),
  ]);
  expect(companyWorkflow.match(/(?<=secrets\.)\w+/g)).toEqual(["PULUMI_ACCESS_TOKEN"]);
  // The workflow opens the journal's bucket with the identity of its run, not with a stored secret.
  expect(JSON.stringify(steps)).toMatch(/DOCS_PLATFORM_JOURNAL.*AWS_ROLE_ARN.*AWS_WEB_IDENTITY_TOKEN_FILE/);
});

it("the CronJob of the examples runs at the interval that its program gets", () => {
  const [cronJob] = parseAllDocuments(read("examples/scheduledRenewal/cronJob.yaml"));
  const { schedule, jobTemplate } = cronJob?.toJS().spec ?? {};
  const { command } = jobTemplate.spec.template.spec.initContainers[0];
  expect(command).toContain(`everyMinutes=${/^\*\/(\d+) /.exec(schedule)?.[1]}`);
});

describe("the Kubernetes Jobs of many stacks", () => {
  const [job, cronJob] = ["job", "cronJob"].map((name) => parse(read(`examples/kubernetesJobs/${name}.yaml`)));

  it("let a pod of a stack start only when no other can be alive, since its script removes the lock", () => {
    expect(job.spec).toMatchObject({ completions: 1, parallelism: 1, podReplacementPolicy: "Failed" });
    expect(job.spec.template.spec).toMatchObject({ restartPolicy: "Never" });
    expect(cronJob.spec.concurrencyPolicy).toBe("Forbid");
  });

  it("have the same pods, by schedule or once", () => {
    const { ttlSecondsAfterFinished: _, ...spec } = job.spec;
    expect(cronJob.spec.jobTemplate.spec).toEqual(spec);
  });
});
