import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { builtProvider } from "../../support/terraform/builtProvider";

async function startProvider() {
  const { executable } = await builtProvider();
  const environment = {
    TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
    TF_DISABLE_PLUGIN_TLS: "1",
  };
  const child = spawn(process.execPath, [executable], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "Terraform's provider leaves a %s, which a terminal or `timeout` sends to it as well, to Terraform",
  async (signal) => {
    const child = await startProvider();
    const ended = once(child, "exit");

    child.kill(signal);
    // If the provider did not ignore the first signal, it would end during this pause, before SIGKILL.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill("SIGKILL");

    expect(await ended).toEqual([null, "SIGKILL"]);
  },
);
