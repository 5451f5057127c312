import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../../simulator/index";
import { requireTool } from "../../support/requireTool";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { until } from "../../support/until";

const message = "docsplatform_agent_message.fix";
const agents = { agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 0 };

/** An export whose wait ends before a job that runs for ever. */
const exportOf = (more = "", name = "site") => `resource "docsplatform_static_export" "${name}" {
  domain       = "docs.example.com"
  wait_timeout = "2s"
${more}}
`;
const messageOf = (prompt: string, more = "") => `resource "docsplatform_agent_message" "fix" {
  project_id = "docs"
  job_id     = "job"
  prompt     = "${prompt}"
${more}}
`;
const inOrder = "  lifecycle {\n    create_before_destroy = true\n  }\n";

/** An export with an option that the plan of each new run does not know. */
const partlyKnown = (run: number, more = "") => `resource "terraform_data" "later" {
  input            = "html"
  triggers_replace = ${run}
}
${exportOf(`  export_options = { format = terraform_data.later.output, locale = "en" }\n${more}`).replace('"2s"', '"1h"')}`;

/** A resource that takes half a second whenever this value has changed. */
const slow = (name: string, value: string) => `resource "terraform_data" "${name}" {
  triggers_replace = ${value}
  provisioner "local-exec" {
    command = "sleep 0.5"
  }
}
`;

let platform: Platform;
let stack: TerraformStack;

beforeEach(() => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

async function declare(configuration: string): Promise<void> {
  platform = await terraformPlatform({ queueTime: 0, jobTime: Number.POSITIVE_INFINITY, ...agents });
  stack = await TerraformStack.reattached(platform, configuration);
}

/** The next commands run on another machine, or on one that was used before. */
function useMachine(name: string): void {
  process.env.DOCS_PLATFORM_JOURNAL = join(stack.folder, name);
}

async function expectApply(code: number, ...flags: string[]): Promise<string> {
  const run = await stack.apply(...flags);
  expect(run.code, run.output).toBe(code);
  return run.output;
}

/** All jobs are done from now on. */
function complete(): void {
  platform.jobTime = 0;
  for (const { jobId } of platform.jobs.list()) {
    platform.jobs.complete(jobId);
  }
}

async function interrupted(...flags: string[]): Promise<void> {
  const polls = () => platform.requests.filter(({ method }) => method === "GET").length;
  const before = polls();
  const run = stack.start("apply", "-auto-approve", ...flags);
  await until(() => polls() > before);
  run.interrupt();
  expect((await run.ended).code).toBe(1);
}

async function killed(...flags: string[]): Promise<void> {
  const polls = () => platform.requests.filter(({ method }) => method === "GET").length;
  const before = polls();
  const run = stack.start("apply", "-auto-approve", ...flags);
  await until(() => polls() > before);
  process.kill(run.pid, "SIGKILL");
  await run.ended;
}

const jobId = (address = siteAddress) => stack.state(address)?.attributes.job_id;
const ids = () => platform.jobs.list().map((job) => job.jobId);

describe.skipIf(!requireTool("terraform"))("a create that has failed, on Terraform,", () => {
  it.each([
    ["", ""],
    ["with create_before_destroy, ", inOrder],
  ])("%sgoes on after a time-out, also where nothing is read: 0 starts", async (_, more) => {
    await declare(exportOf(more));
    await expectApply(1);
    await expectApply(1, "-refresh=false");
    await expectApply(1);
    complete();
    await expectApply(0, "-refresh=false");
    expect(platform.starts).toBe(1);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it.each(["", inOrder])("goes on where the plan neither reads nor knows its domain: 0 starts (%s)", async (more) => {
    const later = (run: number) => `resource "terraform_data" "later" {
  input            = "docs.example.com"
  triggers_replace = ${run}
${more}}
${exportOf(`  triggers = { revision = 9007199254740993.5 }\n${more}`).replace('"docs.example.com"', "terraform_data.later.output")}`;
    await declare(later(1));
    await expectApply(1);
    complete();
    stack.write(later(2));
    await expectApply(0, "-refresh=false");
    expect(platform.starts).toBe(1);
  });

  it("goes on beside another one that begins anew, where the plan does not know its inputs", async () => {
    const both = (run: number) => `resource "terraform_data" "later" {
  input            = "later"
  triggers_replace = ${run}
}
${exportOf("  triggers = terraform_data.later.output\n")}${exportOf(`  triggers = ${run}\n${inOrder}`, "another")}`;
    await declare(both(1));
    await expectApply(1);
    const before = jobId();
    complete();
    stack.write(both(2));
    await expectApply(0, "-parallelism=1");
    expect(platform.starts).toBe(3);
    expect(jobId()).toBe(before);
  });

  it("goes on with create_before_destroy beside a replacement whose inputs the plan does not know", async () => {
    const another = (run: number) => `${slow("first", String(run))}${slow("second", "terraform_data.first.id")}
${exportOf("  triggers = terraform_data.second.id\n", "another")}`;
    const failing = exportOf(`  triggers   = 7\n  depends_on = [terraform_data.first]\n${inOrder}`);
    await declare(another(1));
    platform.jobTime = 0;
    await expectApply(0);
    platform.jobTime = Number.POSITIVE_INFINITY;
    stack.write(`${another(1)}${failing}`);
    await expectApply(1);
    const before = jobId();
    complete();
    stack.write(`${another(2)}${failing}`);
    await expectApply(0);
    expect(platform.starts).toBe(3);
    expect(jobId()).toBe(before);
  });

  it.each([
    ["has more inputs", () => '"more"', "triggers", 2],
    [
      "adopts a job",
      () => `"${platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId}"`,
      "job_id",
      1,
    ],
  ])("goes on beside a new one that is equal but %s", async (_, given, name, starts) => {
    const around = (run: number) => `${slow("first", String(run))}${slow("second", "terraform_data.first.id")}`;
    const failing = exportOf("  depends_on = [terraform_data.second]\n");
    await declare(`${around(1)}${failing}`);
    await expectApply(1);
    const before = jobId();
    complete();
    const another = exportOf(`  ${name} = ${given()}\n  depends_on = [terraform_data.first]\n`, "another");
    stack.write(`${around(2)}${another}${failing}`);
    await expectApply(0);
    expect(platform.starts).toBe(starts);
    expect(jobId()).toBe(before);
  });

  it.each([
    ["a time-out", exportOf()],
    ["a time-out of an export with a number of many digits", exportOf("  triggers = 9007199254740993\n")],
    ["a time-out of a message", messageOf("Fix.", '  wait_for_completion = true\n  wait_timeout = "2s"\n')],
  ])("goes on after %s without a journal that works", async (_, declared) => {
    await declare(declared);
    platform.agentTime = Number.POSITIVE_INFINITY;
    process.env.DOCS_PLATFORM_JOURNAL = join(stack.folder, "main.tf", "journal");
    await expectApply(1);
    await expectApply(1, "-refresh=false");
    complete();
    stack.write(declared.replace('"2s"', '"1m"'));
    platform.agentTime = 0;
    for (const job of platform.agents.list()) {
      platform.agents.complete(job.id);
    }
    await expectApply(0);
    expect(platform.starts + platform.counts.sendMessage).toBe(1);
  });

  it("keeps a message whose answer was lost, on whichever machines it is planned and applied", async () => {
    await declare(messageOf("Fix."));
    platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
    await expectApply(1);
    useMachine("second");
    const planned = join(stack.folder, "planned");
    expect((await stack.plan(`-out=${planned}`)).code).toBe(2);
    useMachine("third");
    const { code, output } = await stack.run("apply", planned);
    expect(code, output).toBe(0);
    expect(output).toContain("not known if a message");
    expect(platform.counts.sendMessage).toBe(1);
  });

  it.each(["", inOrder])(
    "is over once the inputs are others: they begin anew when they come back (%s)",
    async (more) => {
      const triggers = (value: number) => exportOf(`  triggers = ${value}\n${more}`);
      await declare(triggers(1));
      await expectApply(1);
      complete();
      stack.write(triggers(2));
      await expectApply(0);
      stack.write(triggers(1));
      await expectApply(0);
      expect(platform.starts).toBe(3);
      expect(jobId()).toBe(ids()[2]);
    },
  );

  it("is over once a message is another one: the first is sent again when it comes back", async () => {
    await declare(messageOf("A"));
    platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
    await expectApply(1);
    for (const prompt of ["B", "A"]) {
      stack.write(messageOf(prompt));
      await expectApply(0);
    }
    expect(platform.counts.sendMessage).toBe(3);
    expect(stack.state(message)).toMatchObject({ tainted: false });
  });

  it("is over once another job is adopted: a later replacement starts", async () => {
    await declare(exportOf());
    await expectApply(1);
    complete();
    const other = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    stack.write(exportOf(`  job_id = "${other.jobId}"\n`));
    await expectApply(0);
    stack.write(exportOf());
    await expectApply(0, `-replace=${siteAddress}`);
    expect(platform.starts).toBe(2);
  });

  it.each(["", inOrder])(
    "goes on with an adopted job that the program no longer names: 0 starts (%s)",
    async (more) => {
      await declare("");
      const adopted = platform.jobs.add({ domain: "docs.example.com", status: "running" });
      stack.write(exportOf(`  job_id = "${adopted.jobId}"\n${more}`));
      await expectApply(1);
      stack.write(exportOf(more));
      await expectApply(1);
      complete();
      await expectApply(0);
      expect({ starts: platform.starts, id: jobId() }).toEqual({ starts: 0, id: adopted.jobId });
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    },
  );

  it.each(["", inOrder])("is told from a cancelled one, which a taint replaces by a new job (%s)", async (more) => {
    await declare(exportOf(more).replace('"2s"', '"1h"'));
    await interrupted();
    expect(stack.state(siteAddress)).toMatchObject({ tainted: false });
    expect((await stack.run("taint", siteAddress)).code).toBe(0);
    platform.jobTime = 0;
    await expectApply(0);
    expect(platform.starts).toBe(2);
    expect(jobId()).toBe(ids()[1]);
  });

  it("is told from a cancelled one also where the plan knows only a part of an input", async () => {
    await declare(partlyKnown(1));
    await interrupted();
    expect((await stack.run("taint", siteAddress)).code).toBe(0);
    complete();
    stack.write(partlyKnown(2));
    await expectApply(0);
    expect(platform.starts).toBe(2);
    expect(jobId()).toBe(ids()[1]);
  });

  it.each(["", inOrder])("is left alone by what a plan on another machine has seen of it (%s)", async (more) => {
    await declare(exportOf(more));
    await expectApply(1);
    useMachine("colleague");
    expect((await stack.plan()).code).toBe(2);
    useMachine("journal");
    complete();
    await expectApply(0);
    expect(platform.starts).toBe(1);
    await expectApply(0, `-replace=${siteAddress}`);
    useMachine("colleague");
    await expectApply(0, `-replace=${siteAddress}`);
    expect(platform.starts).toBe(3);
    expect(jobId()).toBe(ids()[2]);
  });

  it.each([
    ["cancelled", () => interrupted()],
    ["ended by its limit", () => expectApply(1)],
  ])("is not handed to a new equal export that is created alone, where the wait was %s", async (_, end) => {
    await declare(exportOf("  count = 1\n").replace('"2s"', '"4s"'));
    await end();
    stack.write(exportOf("  count = 2\n"));
    complete();
    await expectApply(0, `-target=${siteAddress}[1]`);
    expect(platform.starts).toBe(2);
    await expectApply(0);
    expect(platform.starts).toBe(2);
    expect(
      stack
        .stateOf(siteAddress)
        ?.instances.map(({ attributes }) => attributes.job_id)
        .sort(),
    ).toEqual(ids().sort());
  });
});

describe.skipIf(!requireTool("terraform"))("what a killed run has started, on Terraform,", () => {
  it("is not continued if it has failed, however many such jobs there are", async () => {
    await declare(exportOf("  count = 2\n").replace('"2s"', '"1h"'));
    await killed();
    for (const id of ids()) {
      platform.jobs.fail(id, "no title");
    }
    platform.jobTime = 0;
    stack.write(exportOf("  count = 1\n"));
    await expectApply(0);
    expect({ starts: platform.starts, id: jobId() }).toEqual({ starts: 3, id: ids()[2] });
  });

  it("is left to its resource where a lost start of an equal one is said to have come to nothing", async () => {
    await declare(exportOf());
    platform.jobTime = 0;
    await expectApply(0);
    platform.jobTime = Number.POSITIVE_INFINITY;
    stack.write(`${exportOf()}${exportOf("", "another")}`);
    await killed(`-target=${siteAddress.replace("site", "another")}`);
    complete();
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    const lost = await expectApply(1, `-target=${siteAddress}`, `-replace=${siteAddress}`);
    const [, code = ""] = /DOCS_PLATFORM_NOT_STARTED=(\w+)/.exec(lost) ?? [];
    process.env.DOCS_PLATFORM_NOT_STARTED = code;
    await expectApply(0, `-target=${siteAddress}`);
    delete process.env.DOCS_PLATFORM_NOT_STARTED;
    await expectApply(0);
    const [, killedOne, , newOne] = ids();
    expect([jobId(siteAddress.replace("site", "another")), jobId()]).toEqual([killedOne, newOne]);
  });

  it("is over once its job was imported: a later replacement starts", async () => {
    platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
    // The process that has started it has ended.
    stack = await TerraformStack.create(platform, exportOf().replace('"2s"', '"1h"'));
    await killed();
    await until(() => stack.providers().length === 0, 200);
    complete();
    expect((await stack.run("import", siteAddress, ids()[0] ?? "")).code).toBe(0);
    await expectApply(0);
    await expectApply(0, `-replace=${siteAddress}`);
    expect(platform.starts).toBe(2);
  });

  it("is continued by the replacement that the backend does not know of, also if its plan knew only a part of an input", async () => {
    await declare(partlyKnown(1, "  triggers = 1\n"));
    platform.jobTime = 0;
    await expectApply(0);
    const saved = readFileSync(stack.stateFile);
    const replacement = partlyKnown(2, "  triggers = 2\n");
    stack.write(replacement);
    platform.jobTime = Number.POSITIVE_INFINITY;
    await killed();
    writeFileSync(stack.stateFile, saved);
    complete();
    stack.write(replacement.replace("terraform_data.later.output", '"html"'));
    await expectApply(0);
    expect(platform.starts).toBe(2);
    expect(jobId()).toBe(ids()[1]);
  });

  it("is over once the inputs were others: they begin anew when they come back", async () => {
    const triggers = (value: number) => exportOf(`  triggers = ${value}\n`).replace('"2s"', '"1h"');
    await declare(triggers(1));
    await killed();
    complete();
    for (const value of [2, 1]) {
      stack.write(triggers(value));
      await expectApply(0);
    }
    expect(platform.starts).toBe(3);
  });
});

describe.skipIf(!requireTool("terraform"))("without a base URL, and with a setting that is wrong,", () => {
  function useWrongSettings(): void {
    Object.assign(process.env, {
      DOCS_PLATFORM_BASE_URL: "",
      DOCS_PLATFORM_API_KEY: "",
      DOCS_PLATFORM_MAX_RETRIES: "many",
    });
  }

  it("what has nothing to send is planned, and all is destroyed, also what is due or tainted: 0 requests", async () => {
    await declare(`${exportOf("", "slow")}${exportOf().replace('"2s"', '"1h"')}`);
    await interrupted(`-target=${siteAddress}`);
    await expectApply(1, `-target=${siteAddress.replace("site", "slow")}`);
    useWrongSettings();
    const plan = await stack.plan();
    expect(plan, plan.output).toMatchObject({ code: 2, requests: [] });
    expect(plan.output).toContain("an apply that has something to send will be refused");
    const refused = await stack.apply(`-target=${siteAddress}`);
    expect(refused, refused.output).toMatchObject({ code: 1, requests: [] });
    expect(refused.output).toContain("DOCS_CONFIGURATION");
    const { code, output, requests } = await stack.destroy();
    expect({ code, requests }, output).toEqual({ code: 0, requests: [] });
  });

  it("an unchanged plan says nothing, and a new resource is refused in the plan", async () => {
    await declare(exportOf());
    platform.jobTime = 0;
    await expectApply(0);
    useWrongSettings();
    const unchanged = await stack.plan();
    expect(unchanged, unchanged.output).toMatchObject({ code: 0, requests: [] });
    stack.write(`${exportOf()}${exportOf("", "new").replace("docs.", "new.")}`);
    const plan = await stack.plan();
    expect(plan, plan.output).toMatchObject({ code: 1, requests: [] });
    expect(plan.output).toContain("DOCS_CONFIGURATION");
  });
});
