import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../../../simulator/index";
import { ServerProcess, unusedPort } from "../../../tools/processes/serverProcess";
import { ControlPlane, controlPlanePrograms } from "../../../tools/servers/controlPlane";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { mint, requestsTo } from "../../support/engineTest";
import { type KubernetesObject, toolTime } from "../chart/helm";
import { definitionsOf, registerDefinitions } from "./definitions";
import { core, listObjects, makeNamespace, rollOut } from "./rollout";

const operator = { pins: "lab/pins/external-secrets", module: "github.com/external-secrets/external-secrets" };
const key = { name: "platform-key", labels: { "external-secrets.io/type": "webhook" } };
const linkLife = 20_000;

async function startExternalSecrets(plane: ControlPlane): Promise<void> {
  const files = await definitionsOf(operator);
  await registerDefinitions(
    plane,
    files.filter((file) => file.includes("external-secrets.io_")),
  );
  const [live, metrics] = [await unusedPort(), await unusedPort()];
  const addresses = [`--live-addr=127.0.0.1:${live}`, `--metrics-addr=127.0.0.1:${metrics}`];
  const command = [`KUBECONFIG=${plane.kubeconfig}`, await getTool("external-secrets"), ...addresses];
  const ready = async () => (await fetch(`http://127.0.0.1:${live}/healthz`)).ok;
  const controller = await ServerProcess.start("env", command, ready);
  onTestFinished(() => controller.close());
}

it.runIf(campaign)(
  "External Secrets keeps the link of a job good over three lives, also after an outage, and rolls nothing; pods of another job wait for its own",
  async () => {
    const platform = await startPlatform({ jobTime: 0, queueTime: 0, linkLife });
    onTestFinished(() => platform.close());
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const plane = await ControlPlane.start(await controlPlanePrograms());
    onTestFinished(() => plane.close());
    await makeNamespace(plane);
    await startExternalSecrets(plane);
    // An ordinary text file ends with a line break, which `kubectl create secret --from-file` keeps.
    await plane.ask("POST", `${core}/secrets`, { metadata: key, stringData: { apiKey: `${platform.apiKey}\n` } });
    const externalSecret = { baseUrl: platform.baseUrl, keySecret: key.name, refreshInterval: "5s" };
    const valuesOf = (version: string) => ({ staticExport: { enabled: true, externalSecret, version } });
    const released = await rollOut(plane, valuesOf(jobId));

    /** Returns the link that a pod would get if it started now; empty if there is no Secret yet. */
    const linkOf = async ({ spec }: KubernetesObject): Promise<string> => {
      const { secretName } = spec.volumes.find(({ name }: { name: string }) => name === "link").secret;
      const secrets = await listObjects(plane, `${core}/secrets`);
      const data = secrets.find(({ metadata }) => metadata.name === secretName)?.data ?? {};
      return Buffer.from(data.bundleUrl ?? "", "base64").toString();
    };
    const linkNow = async () => {
      const [pod] = await listObjects(plane, `${core}/pods`);
      // The Deployment's controller then creates another pod.
      await plane.ask("DELETE", `${core}/pods/${pod?.metadata.name}`, { gracePeriodSeconds: 0 });
      return linkOf(pod as KubernetesObject);
    };
    await expect.poll(linkNow, { timeout: 60_000 }).not.toBe("");

    const links = new Set<string>();
    const expired: string[] = [];
    for (const begin = Date.now(); Date.now() - begin < 3 * linkLife; await sleep(500)) {
      const link = await linkNow();
      if (!links.has(link) && links.size === 3) {
        platform.inject({ operation: "createBundle", kind: "status", status: 503, count: 2 });
      }
      links.add(link);
      if ((await fetch(link)).status !== 200) {
        expired.push(new URL(link).pathname);
      }
    }
    expect(expired).toEqual([]);
    expect(links.size).toBeGreaterThan(8);
    const { pods: _, ...rollout } = released;
    expect(await rollOut(plane, valuesOf(jobId))).toMatchObject(rollout);

    const second = platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId;
    await rollOut(plane, valuesOf(second));
    await expect.poll(linkNow, { timeout: 60_000 }).toContain(second);
    const asked = requestsTo(platform).filter((request) => request.startsWith("POST"));
    expect(new Set(asked)).toEqual(new Set([mint(jobId), mint(second)]));
  },
  toolTime,
);
