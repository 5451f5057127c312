import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readOsProcessInfo } from "../../provider/support/processes";
import { hosts } from "../support/protocol/protocolHosts";
import { temporaryFolder } from "../support/temporaryFolder";

const script = 'echo $PPID $$ > "$0.part"; mv "$0.part" "$0"; sleep 60 & sleep 60; sleep 60';

/** The key comes from a command that prints it only after a long time. */
async function askingProvider(host: (typeof hosts)[keyof typeof hosts]) {
  const file = join(temporaryFolder(), "pids");
  const { client, urnOf, ownInputs } = await host(
    { baseUrl: "http://127.0.0.1:9", apiKey: "" },
    { environment: { DOCS_PLATFORM_API_KEY: undefined, DOCS_PLATFORM_API_KEY_COMMAND: `sh -c '${script}' ${file}` } },
  );
  const urn = urnOf("StaticExport", "site");
  const { inputs } = await client.check(urn, { ...ownInputs("StaticExport", "site"), domain: "docs.example.com" });
  const failed = client.create(urn, inputs).then(
    () => "created",
    (error: Error) => error.message,
  );
  await expect.poll(() => existsSync(file)).toBe(true);
  const [provider = 0, command = 0] = readFileSync(file, "utf8").trim().split(" ").map(Number);
  return { client, failed, provider, command };
}

const isGone = (pid: number) => readOsProcessInfo(pid)?.hasEnded ?? true;

it
  .runIf(process.platform === "linux")
  .each(
    Object.entries(hosts).flatMap(([name, host]) =>
      (["Cancel", "SIGINT", "SIGTERM", "SIGHUP"] as const).map((end) => [name, end, host] as const),
    ),
  )("the %s ends its command at once by %s", async (_, end, host) => {
  const { client, failed, provider, command } = await askingProvider(host);
  if (end === "Cancel") {
    await client.cancel();
    expect(await failed).toContain("DOCS_INTERRUPTED");
  } else {
    process.kill(provider, end);
    expect(await failed).not.toBe("created");
    await expect.poll(() => isGone(provider)).toBe(true);
  }
  await expect.poll(() => isGone(command)).toBe(true);
});
