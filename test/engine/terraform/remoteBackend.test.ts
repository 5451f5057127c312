import { existsSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listen } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { engines } from "../../support/terraform/engines";
import { hclSiteAndBundle, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { until } from "../../support/until";

const hclMessage = `resource "docsplatform_agent_message" "fix" {
  project_id = "docs"
  job_id     = "job"
  prompt     = "Fix."
}
`;

async function startBackend() {
  const backend = { state: "", refuses: false, hcl: "", saves: 0 };
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    if (request.method === "GET") {
      response.writeHead(backend.state === "" ? 404 : 200).end(backend.state);
    } else if (backend.refuses) {
      response.writeHead(403).end();
    } else {
      backend.state = body;
      backend.saves++;
      response.writeHead(200).end();
    }
  });
  const { url } = await listen(server);
  backend.hcl = `terraform {\n  backend "http" {\n    address = "${url}"\n    retry_max = 0\n  }\n}\n`;
  return backend;
}

function jobsIn(state: string): unknown[] {
  const { resources = [] } = JSON.parse(state || "{}");
  const exports = resources.filter(({ type }: { type: string }) => type === siteAddress.split(".")[0]);
  return exports.flatMap(({ instances }: { instances: { attributes: { job_id: unknown } }[] }) =>
    instances.map(({ attributes }) => attributes.job_id),
  );
}

describe.skipIf(!requireTool("terraform")).each(engines)("a remote backend, on %s,", (_, command) => {
  async function begin() {
    const backend = await startBackend();
    const platform = await terraformPlatform({ agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 0 });
    const stack = await TerraformStack.create(platform, "", await command());
    // `init` ignores `dev_overrides` and would look for the provider in the public registry. So `init` runs with a
    // program that declares only the backend.
    stack.write(backend.hcl, "");
    const init = await stack.run("init");
    expect(init.code, init.output).toBe(0);
    const marker = join(stack.folder, "begun");
    /** Declares a resource that is created last. Its creation takes `seconds`. */
    const slow = (seconds: number) => `resource "terraform_data" "slow" {
  depends_on = [docsplatform_export_bundle.bundle, docsplatform_agent_message.fix]
  provisioner "local-exec" {
    command = "touch '${marker}'; sleep ${seconds}"
  }
}
`;
    const write = (seconds: number) => stack.write(`${backend.hcl}${hclSiteAndBundle}${hclMessage}${slow(seconds)}`);
    return { backend, platform, stack, marker, write };
  }

  const counted = ({ starts, counts }: Awaited<ReturnType<typeof begin>>["platform"]) => ({
    starts,
    messages: counts.sendMessage,
  });

  it("a run that is killed after its provider has ended, and before its state is saved, is continued; a taint, a replacement and a destroy then make a new export each", async () => {
    const { backend, platform, stack, marker, write } = await begin();
    write(300);
    const run = stack.start("apply", "-auto-approve");
    await until(() => existsSync(marker) && stack.providers().length === 0, 50);
    process.kill(-run.pid, "SIGKILL");
    await run.ended;
    expect(jobsIn(backend.state)).toEqual([]);
    write(0);
    expect(await stack.expectApply(0)).toContain("continues with export job");
    expect(counted(platform)).toEqual({ starts: 1, messages: 1 });
    const [first] = jobsIn(backend.state);
    await stack.expectNothingToDo();
    await stack.run("taint", siteAddress);
    await stack.expectApply(0);
    await stack.expectApply(0, `-replace=${siteAddress}`);
    const destroyed = await stack.destroy();
    expect(destroyed.code, destroyed.output).toBe(0);
    await stack.expectApply(0);
    expect(counted(platform)).toEqual({ starts: 4, messages: 2 });
    expect(jobsIn(backend.state)).not.toContain(first);
  });

  it("that refuses the state loses no job: the next run continues with it", async () => {
    const { backend, platform, stack, write } = await begin();
    write(0);
    backend.refuses = true;
    await stack.expectApply(1);
    backend.refuses = false;
    await stack.expectApply(0);
    expect(jobsIn(backend.state)).toEqual(platform.jobs.list().map(({ jobId }) => jobId));
    expect(counted(platform)).toEqual({ starts: 1, messages: 1 });
  });
});
