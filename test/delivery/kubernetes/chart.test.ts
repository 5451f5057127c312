import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { ControlPlane, controlPlanePrograms } from "../../../tools/servers/controlPlane";
import { getTool } from "../../../tools/toolchain/getTool";
import { pinsFolder } from "../../../tools/toolchain/pins";
import { variant } from "../../support/campaign";
import { EngineStack } from "../../support/engineStack";
import { mint, siteAndBundle } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { requireTool } from "../../support/requireTool";
import { until } from "../../support/until";
import {
  chart,
  helm,
  helmExecutable,
  type KubernetesObject,
  manifests,
  objectsIn,
  only,
  rendered,
  toolTime,
  useHelm,
} from "../chart/helm";
import { chartForms, everyValue, image, link } from "../chart/values";
import { withEachHelm } from "../chart/withEachHelm";
import { dryRun, manifestsIn, moduleFolder, registerDefinitions } from "./definitions";
import { apps, core, listObjects, makeNamespace, type Rollout, rollOut } from "./rollout";

const run = promisify(execFile);
const gateway = { pins: "tools/pins/gitops/gateway-api", module: "sigs.k8s.io/gateway-api" };
const argo = { pins: "tools/pins/gitops", module: "github.com/argoproj/argo-cd/v3" };
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const domain = "docs.example.com";

describe.skipIf(!requireTool("go"))("with go, a real Kubernetes API server with its controllers", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    await helmExecutable();
    plane = await ControlPlane.start(await controlPlanePrograms());
    await makeNamespace(plane);
    const routes = "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml";
    await registerDefinitions(plane, [join(await moduleFolder(gateway), routes)]);
  }, toolTime);

  afterAll(() => plane?.close());

  describe("a release fed by `helmValues` from a real `pulumi up`", () => {
    let platform: Platform;
    let stack: EngineStack;
    let first: Rollout;
    let second: Rollout;
    let firstJob: string;
    let outputs: Record<string, unknown>;

    beforeAll(async () => {
      platform = await startPlatform({ queueTime: 0, jobTime: 50 });
      stack = await EngineStack.create(platform, siteAndBundle);
    });

    afterAll(async () => {
      stack?.remove();
      await platform?.close();
    });

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
      passHour(platform, stack);
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

  const values = (digest: string, version: string) => ({
    staticExport: { enabled: true, image: `registry.example.com/docs@sha256:${digest.repeat(64)}`, version },
  });

  async function uninstall(): Promise<void> {
    // Makes the controller remove the pods. If the test deleted the pods, the controller would replace them.
    await plane.ask("PATCH", `${apps}/deployments/docs`, { spec: { replicas: 0 } });
    await until(async () => (await listObjects(plane, `${core}/pods`)).length === 0);
    const { code, stderr } = await helm(["uninstall", "docs", "--namespace", "docs"], undefined, plane.kubeconfig);
    expect(code, stderr).toBe(0);
    // No garbage collector runs here, so Helm's deletion of the Deployment leaves ReplicaSets.
    await plane.ask("DELETE", `${apps}/replicasets`);
  }

  withEachHelm("a release of %s (built with go) that mounts the image of a site", () => {
    let start: Rollout;
    let first: Rollout;
    let second: Rollout;

    beforeAll(async () => {
      await uninstall();
      // Each test continues with the release of the previous test. The first release fetches an archive by a link.
      start = await rollOut(plane, { staticExport: link });
    });

    it("rolls once from a link to an image, and loses the Secret with the link", async () => {
      expect(start.link).toBe(link.bundleUrl);
      first = await rollOut(plane, values("a", "job-1"));
      expect(new Set(first.replicaSets)).toEqual(new Set([...start.replicaSets, first.current]));
      expect(first.current).not.toBe(start.current);
      expect(first.link).toBeUndefined();
    });

    it("gets exactly one ReplicaSet more for a new digest, and goes back to the old one", async () => {
      second = await rollOut(plane, values("b", "job-3"));
      expect(new Set(second.replicaSets)).toEqual(new Set([...first.replicaSets, second.current]));
      expect(first.replicaSets).not.toContain(second.current);
      const back = await rollOut(plane, values("a", "job-1"));
      expect(back.current).toBe(first.current);
      expect(new Set(back.replicaSets)).toEqual(new Set(second.replicaSets));
    });

    it("is accepted unchanged by the API server, whose pods have the volume", async () => {
      const { items } = await plane.ask("GET", "/api/v1/namespaces/docs/pods");
      expect(items).toHaveLength(2);
      for (const { spec } of items) {
        const { reference } = spec.volumes.find(({ name }: { name: string }) => name === "site").image;
        expect(reference).toBe(values("a", "job-1").staticExport.image);
      }
    });

    it("goes back to the link, with its Secret, in the ReplicaSet of before", async () => {
      const back = await rollOut(plane, { staticExport: link });
      expect([back.current, back.link]).toEqual([start.current, start.link]);
    });
  });

  variant("a release that Helm 3 has made goes from a link to an image and back by Helm 4", async () => {
    await useHelm("Helm 3");
    await uninstall();
    const start = await rollOut(plane, { staticExport: link });
    await useHelm("Helm 4");
    const ofImage = await rollOut(plane, values("a", "job-1"));
    expect([ofImage.current === start.current, ofImage.link]).toEqual([false, undefined]);
    const back = await rollOut(plane, { staticExport: link });
    expect([back.current, back.link]).toEqual([start.current, start.link]);
  });

  it.each(chartForms)("all objects of the chart pass its strict validation, given %s", async (_, values) => {
    // This API server does not know the objects of External Secrets. Another test covers them.
    const objects = (await manifests(values)).filter(({ apiVersion }) => !apiVersion.includes("external-secrets.io"));
    expect(objects.length).toBeGreaterThan(2);
    for (const object of objects) {
      // A new CRD takes effect only after a moment.
      const kind = () => dryRun(plane, object).then((answer) => answer.kind, String);
      await expect.poll(kind, { timeout: 60_000 }).toBe(object.kind);
    }
  });

  const asPod = ({ spec }: KubernetesObject): KubernetesObject => ({ ...spec.template, apiVersion: "v1", kind: "Pod" });

  describe("its admission to a namespace of the profile restricted, with a quota of CPU, memory and disk", () => {
    const quota = "/api/v1/namespaces/docs/resourcequotas";

    beforeAll(async () => {
      const low = { metadata: { name: everyValue.priorityClassName }, value: 1 };
      await plane.ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", low);
      const kinds = ["cpu", "memory", "ephemeral-storage"].flatMap((kind) => [`requests.${kind}`, `limits.${kind}`]);
      const [hard, used] = ["32Gi", "0"].map((all) => Object.fromEntries(kinds.map((kind) => [kind, all])));
      await plane.ask("POST", quota, { metadata: { name: "quota" }, spec: { hard } });
      // No controller runs here that writes the quota's status, so the test writes it.
      await plane.ask("PATCH", `${quota}/quota/status`, { status: { hard, used } });
    });

    afterAll(() => plane.ask("DELETE", `${quota}/quota`));

    it.each(chartForms)(
      "accepts the pods of the chart, given %s, with a user or with that of OpenShift",
      async (_, values) => {
        for (const flags of [[], ["--api-versions", "security.openshift.io/v1"]]) {
          const pod = asPod(only(objectsIn(await rendered(values, ...flags)), "Deployment"));
          expect((await dryRun(plane, pod)).kind).toBe("Pod");
        }
      },
    );

    // A quota for disk space does not require that a container requests disk space.
    it.each(["cpu", "memory"])("refuses a pod if one of its containers asks for no %s", async (kind) => {
      for (const list of ["initContainers", "containers"]) {
        const pod = asPod(only(await manifests({ staticExport: link }), "Deployment"));
        const [{ name, resources }] = pod.spec[list];
        delete resources.requests[kind];
        delete resources.limits[kind];
        await expect(dryRun(plane, pod)).rejects.toThrow(
          `must specify limits.${kind} for: ${name}; requests.${kind} for: ${name}`,
        );
      }
    });

    it("refuses a pod without one of their settings", async () => {
      const { spec, ...pod } = asPod(only(await manifests({ staticExport: link }), "Deployment"));
      const { seccompProfile: _, ...securityContext } = spec.securityContext;
      await expect(dryRun(plane, { ...pod, spec: { ...spec, securityContext } } as KubernetesObject)).rejects.toThrow(
        "restricted",
      );
    });
  });

  it("its strict validation refuses a field that it does not know, and a value of another type", async () => {
    const deployment = only(await manifests({ staticExport: link }), "Deployment");
    await expect(dryRun(plane, { ...deployment, spec: { ...deployment.spec, replica: 2 } })).rejects.toThrow("replica");
    await expect(dryRun(plane, { ...deployment, spec: { ...deployment.spec, replicas: "two" } })).rejects.toThrow(
      "400",
    );
  });

  it.each([
    "kubernetesJobs/job.yaml",
    "kubernetesJobs/cronJob.yaml",
    "kubernetesJobs/settings.yaml",
    "scheduledRenewal/cronJob.yaml",
    "company/cronJob.yaml",
  ])("all objects of examples/%s pass it, too", async (name) => {
    for (const object of manifestsIn(name, (text) => text.replaceAll("STACK", "site-1"))) {
      expect((await dryRun(plane, object)).kind).toBe(object.kind);
    }
  });

  describe("the manifests of the GitOps guide", () => {
    const folder = mkdtempSync(join(tmpdir(), "gitops-"));
    /** The plural name of each kind, for the paths of the API. */
    const plurals = new Map<string, string>();

    beforeAll(async () => {
      // Flux publishes its types only in Go. As in Flux's build, controller-gen makes the CRDs from the types.
      const paths = ["helm-controller/api/v2", "source-controller/api/v1"].map((name) => `github.com/fluxcd/${name}`);
      const generate = ["crd", `paths=${paths.join(";")}`, `output:dir=${folder}`];
      await run(await getTool("controller-gen"), generate, { cwd: pinsFolder({ pins: "tools/pins/gitops" }) });
      const definitions = readdirSync(folder).map((name) => join(folder, name));
      definitions.push(join(await moduleFolder(argo), "manifests", "crds", "application-crd.yaml"));
      await registerDefinitions(plane, definitions);
      for (const { spec } of await listObjects(plane, definitionsPath)) {
        plurals.set(spec.names.kind, spec.names.plural);
      }
    }, toolTime);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each([
      ...["flux/site.yaml", "flux/release.yaml", "argoCd/link.yaml", "argoCd/image.yaml"].map(
        (name) => `gitops/${name}`,
      ),
      "signedImages/flux.yaml",
    ])("%s fits the project's own definition, and a field of another name does not", async (name) => {
      const objects = manifestsIn(name);
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) {
        const plural = plurals.get(object.kind);
        // A new CRD takes effect only after a moment.
        const kind = () => dryRun(plane, object, plural).then((answer) => answer.kind, String);
        await expect.poll(kind, { timeout: 60_000 }).toBe(object.kind);
        const misspelt = { ...object, spec: { ...object.spec, misspelt: true } };
        await expect(dryRun(plane, misspelt, plural)).rejects.toThrow("misspelt");
      }
    });

    it("give the ServiceAccount of the Pulumi operator's workspace the reviews that its pods ask for, by their binding alone", async () => {
      const objects = manifestsIn("gitops/pulumiOperator/stack.yaml");
      const [account, binding] = [only(objects, "ServiceAccount"), only(objects, "ClusterRoleBinding")];
      const user = `system:serviceaccount:docs:${only(objects, "Stack").spec.serviceAccountName}`;
      const mayReview = async () => {
        const asked = [
          { group: "authentication.k8s.io", resource: "tokenreviews", verb: "create" },
          { group: "authorization.k8s.io", resource: "subjectaccessreviews", verb: "create" },
        ].map(async (resourceAttributes) => {
          const review = { spec: { user, resourceAttributes } };
          const { status } = await plane.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
          return status.allowed;
        });
        return Promise.all(asked);
      };
      await plane.ask("POST", "/api/v1/namespaces/docs/serviceaccounts?fieldValidation=Strict", account);
      expect(await mayReview()).toEqual([false, false]);
      const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?fieldValidation=Strict";
      await plane.ask("POST", bindings, binding);
      await expect.poll(mayReview).toEqual([true, true]);
    });

    it("have values that the chart accepts, those of Flux beside the values of the Secret", async () => {
      for (const name of ["argoCd/link.yaml", "argoCd/image.yaml"]) {
        const { valuesObject } = only(manifestsIn(`gitops/${name}`), "Application").spec.source.helm;
        expect(await helm(["template", "docs", chart], valuesObject)).toMatchObject({ code: 0, stderr: "" });
      }
      const { spec } = only(manifestsIn("gitops/flux/release.yaml"), "HelmRelease");
      const values = { ...spec.values, staticExport: image };
      expect(await helm(["template", "docs", chart], values)).toMatchObject({ code: 0 });
    });
  });
});
