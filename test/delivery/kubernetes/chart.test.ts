import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { ControlPlane, controlPlanePrograms } from "../../../tools/servers/controlPlane";
import { getTool } from "../../../tools/toolchain/getTool";
import { EngineStack } from "../../support/engineStack";
import { mint, siteAndBundle } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { helmExecutable, rendered, toolTime } from "../chart/helm";
import { everyValue, existingSecret, image, link } from "../chart/values";
import { makeNamespace, type Rollout, rollOut } from "./rollout";
import { writeSchemas } from "./schemas";

const linkLife = 1_000;
const domain = "docs.example.com";

describe.skipIf(!requireTool("go"))("with go, a real Kubernetes API server with its controllers", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    await helmExecutable();
    plane = await ControlPlane.start(await controlPlanePrograms());
    await makeNamespace(plane);
  }, toolTime);

  afterAll(() => plane?.close());

  describe("a release fed by `helmValues` from a real `pulumi up`", () => {
    let platform: Platform;
    let stack: EngineStack;
    let first: Rollout;
    let second: Rollout;
    let firstJob: string;
    /** The outputs of the last `pulumi up`. */
    let outputs: Record<string, unknown>;

    beforeAll(async () => {
      platform = await startPlatform({ queueTime: 0, jobTime: 50, linkLife });
      stack = await EngineStack.create(platform, siteAndBundle);
    });

    afterAll(async () => {
      stack?.remove();
      await platform?.close();
    });

    /** `pulumi up`, then `helm upgrade --install` with its values. */
    async function upAndRollOut(): Promise<Rollout & { requests: string[] }> {
      const { code, output, requests } = await stack.up();
      expect(code, output).toBe(0);
      outputs = await stack.outputs();
      return { ...(await rollOut(plane, outputs.values)), requests };
    }

    it("makes one ReplicaSet at its first rollout, of pods of the profile restricted", async () => {
      first = await upAndRollOut();
      firstJob = String(outputs.jobId);
      expect(first.replicaSets).toEqual([first.current]);
      expect(first.pods).toHaveLength(2);
    });

    it("gets a renewed link into its Secret, and no ReplicaSet and no pod", async () => {
      await sleep(linkLife);
      // From here on no link expires by itself.
      platform.linkLife = 900_000;
      const { requests, link: fresh, ...others } = await upAndRollOut();
      expect(requests).toEqual([mint(firstJob)]);
      expect(fresh).toBe(outputs.bundleUrl);
      expect(fresh).not.toBe(first.link);
      expect(first).toMatchObject(others);
      first = { ...others, link: fresh };
    });

    it("gets exactly one ReplicaSet more for a new export", async () => {
      stack.declare({ ...siteAndBundle, site: { domain, triggers: { release: 2 } } });
      second = await upAndRollOut();
      expect(platform.starts).toBe(2);
      expect(second.replicaSets).toEqual([first.current, second.current]);
      expect(second.current).not.toBe(first.current);
    });

    it("gets none for the values of a run that changes nothing, which stay the same", async () => {
      expect(second).toMatchObject(await rollOut(plane, outputs.values));
    });

    it("goes back to the pod template of an old job, in its old ReplicaSet", async () => {
      stack.declare({ ...siteAndBundle, site: { domain, jobId: firstJob } });
      const back = await upAndRollOut();
      expect(platform.starts).toBe(2);
      expect(back.current).toBe(first.current);
      expect(back.replicaSets).toEqual(second.replicaSets);
    });

    it("gets exactly one more for another sha256", async () => {
      const { values } = outputs as { values: { staticExport: object } };
      const pinned = await rollOut(plane, { staticExport: { ...values.staticExport, sha256: "a".repeat(64) } });
      expect(pinned.replicaSets).toEqual([...second.replicaSets, pinned.current]);
    });
  });

  describe("a release that mounts the image of a site", () => {
    const values = (digest: string, version: string) => ({
      staticExport: { enabled: true, image: `registry.example.com/docs@sha256:${digest.repeat(64)}`, version },
    });
    let start: Rollout;
    let first: Rollout;
    let second: Rollout;

    beforeAll(async () => {
      // The URL of the release before, which fetches an archive.
      start = await rollOut(plane, { staticExport: link });
    });

    it("rolls once from a link to an image, and loses the Secret with the link", async () => {
      expect(start.link).toBe(link.bundleUrl);
      first = await rollOut(plane, values("a", "job-1"));
      expect(new Set(first.replicaSets)).toEqual(new Set([...start.replicaSets, first.current]));
      expect(start.replicaSets).not.toContain(first.current);
      expect(first.link).toBeUndefined();
    });

    it("gets no ReplicaSet and no pod for another job with the same digest", async () => {
      const { current, pods } = first;
      expect(await rollOut(plane, values("a", "job-2"))).toMatchObject({ current, pods });
    });

    it("gets exactly one ReplicaSet more for a new digest, and goes back to the old one", async () => {
      second = await rollOut(plane, values("b", "job-3"));
      expect(new Set(second.replicaSets)).toEqual(new Set([...first.replicaSets, second.current]));
      expect(first.replicaSets).not.toContain(second.current);
      const back = await rollOut(plane, values("a", "job-1"));
      expect(back.current).toBe(first.current);
      expect(new Set(back.replicaSets)).toEqual(new Set(second.replicaSets));
    });

    it("is taken as it is by the API server, whose pods have the volume", async () => {
      const { items } = await plane.ask("GET", "/api/v1/namespaces/docs/pods");
      expect(items).toHaveLength(2);
      for (const { spec } of items) {
        const { reference } = spec.volumes.find(({ name }: { name: string }) => name === "site").image;
        expect(reference).toBe(values("a", "job-1").staticExport.image);
      }
    });
  });

  describe("its own schemas, in the hands of kubeconform", () => {
    const folder = mkdtempSync(join(tmpdir(), "schemas-"));
    let kubeconform: string;
    let location: string;

    beforeAll(async () => {
      kubeconform = await getTool("kubeconform");
      location = await writeSchemas(plane, folder);
    }, toolTime);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    async function judge(
      manifests: string,
    ): Promise<{ code: unknown; summary: Record<string, number>; verdict: string }> {
      const child = spawn(kubeconform, ["-schema-location", location, "-summary", "-output", "json"], {
        stdio: "pipe",
      });
      child.stdin.end(manifests);
      const ended = once(child, "close");
      const verdict = await text(child.stdout);
      const [code] = await ended;
      return { code, summary: JSON.parse(verdict).summary, verdict };
    }

    it.each([
      ["a link", { staticExport: link }, 4],
      ["a Secret that is there", existingSecret, 3],
      ["an image", { staticExport: image }, 3],
      ["every value", everyValue, 4],
    ])("fit all objects of the chart, given %s", async (_, values, valid) => {
      const { code, summary, verdict } = await judge(await rendered(values));
      expect(summary, verdict).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 });
      expect(code).toBe(0);
    });

    it("refuse a field that the server does not know, and a value of another type", async () => {
      const manifests = await rendered({ staticExport: link });
      for (const [right, wrong] of [
        ["enableServiceLinks:", "enableServiceLink:"],
        ["replicas: 2", "replicas: two"],
      ] as const) {
        expect(manifests).toContain(right);
        expect((await judge(manifests.replace(right, wrong))).summary).toMatchObject({ valid: 3, invalid: 1 });
      }
    });
  });
});
