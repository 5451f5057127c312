import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess, unusedPort } from "../../../tools/processes/serverProcess";
import { ControlPlane, controlPlanePrograms } from "../../../tools/servers/controlPlane";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { mirrored } from "../../support/mirror/mirrorWorld";
import { type KeyForTest, keyForTest } from "../../support/mirror/signatures";
import { digestIn, signedWorld } from "../../support/mirror/signedWorld";
import { tamperings } from "../../support/mirror/tamperings";
import { folderOfFile, temporaryFolder } from "../../support/temporaryFolder";
import { chart, type KubernetesObject, toolTime } from "../chart/helm";
import { link } from "../chart/values";
import { definitionsOf, manifestsIn, registerDefinitions } from "./definitions";
import { serveGit } from "./gitServer";
import { apps, core, makeNamespace, observeRollout } from "./rollout";

const controllers = ["source-controller", "helm-controller"].map((name) => ({
  pins: `lab/pins/${name}`,
  module: `github.com/fluxcd/${name}`,
}));
const plurals: Record<string, string> = {
  GitRepository: "gitrepositories",
  OCIRepository: "ocirepositories",
  HelmRelease: "helmreleases",
};
const patient = { timeout: 120_000, interval: 500 };
/** Another link for the same bundle. */
const renewed = { ...link, bundleUrl: link.bundleUrl.replace("20261121", "20261122") };
const valuesOf = (staticExport: object) => ({ stringData: { "values.yaml": JSON.stringify({ staticExport }) } });

/** Serves a Git repository with this project's chart, at the path in the example. Returns the server's address. */
async function serveChart(): Promise<string> {
  const [work, served] = [temporaryFolder(), temporaryFolder()];
  const git = (...args: string[]) => {
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main"];
    execFileSync("git", [...author, ...args], { cwd: work, stdio: "ignore" });
  };
  cpSync(chart, join(work, "chart"), { recursive: true });
  git("init");
  git("add", "--all");
  git("commit", "--message", "Add the chart");
  mkdirSync(join(served, "team"));
  git("clone", "--bare", work, join(served, "team", "docs-chart.git"));
  return serveGit(served);
}

/** The first run takes half an hour, because it builds the controllers. */
describe.skipIf(!campaign)("with the controllers of Flux on a real API server", () => {
  const storage = folderOfFile();
  const servers: { close(): Promise<void> }[] = [];
  let plane: ControlPlane;

  async function startController(executable: string, ...more: string[]): Promise<void> {
    const [health, metrics] = [`127.0.0.1:${await unusedPort()}`, `127.0.0.1:${await unusedPort()}`];
    const flags = ["--health-addr", health, "--metrics-addr", metrics, ...more];
    const ready = async () => (await fetch(`http://${health}/readyz`)).ok;
    servers.push(await ServerProcess.start("env", [`KUBECONFIG=${plane.kubeconfig}`, executable, ...flags], ready));
  }

  beforeAll(async () => {
    plane = await ControlPlane.start(await controlPlanePrograms());
    servers.push(plane);
    await makeNamespace(plane);
    for (const controller of controllers) {
      await registerDefinitions(plane, await definitionsOf(controller));
    }
    const artifacts = `127.0.0.1:${await unusedPort()}`;
    const flags = ["--storage-path", storage, "--storage-addr", artifacts, "--storage-adv-addr", artifacts];
    await startController(await getTool("source-controller"), ...flags);
    await startController(await getTool("helm-controller"));
    const auths = JSON.stringify({ auths: {} });
    await plane.ask("POST", `${core}/secrets`, {
      metadata: { name: "registry" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": auths },
    });
  }, toolTime);

  afterAll(async () => {
    for (const server of servers.reverse()) {
      await server.close();
    }
  });

  const pathOf = ({ apiVersion, kind }: KubernetesObject) => `/apis/${apiVersion}/namespaces/docs/${plurals[kind]}`;
  const create = (object: KubernetesObject) => plane.ask("POST", `${pathOf(object)}?fieldValidation=Strict`, object);

  /** Returns the status and the message for each type of condition. */
  async function conditionsOf(object: KubernetesObject): Promise<Record<string, string>> {
    const { status } = await plane.ask("GET", `${pathOf(object)}/${object.metadata.name}`);
    const conditions: { type: string; status: string; message: string }[] = status?.conditions ?? [];
    return Object.fromEntries(conditions.map(({ type, ...told }) => [type, `${told.status}: ${told.message}`]));
  }

  const isTrue = expect.stringMatching(/^True: /);

  it("the release of the example has the values of Git and of the Secret; a renewed link is a revision at once, which rolls nothing", async () => {
    const server = await serveChart();
    const labels = { "reconcile.fluxcd.io/watch": "Enabled" };
    await plane.ask("POST", `${core}/secrets`, { metadata: { name: "docs-values", labels }, ...valuesOf(link) });
    const objects = manifestsIn("gitops/flux/release.yaml", (text) => text.replace("https://git.example.com", server));
    expect(objects.map(({ kind }) => kind)).toEqual(["GitRepository", "HelmRelease"]);
    for (const object of objects) {
      await create(object);
    }
    const release = objects[1] as KubernetesObject;
    const told = async () =>
      (await plane.ask("GET", `${apps}/deployments`)).items.length || (await conditionsOf(release));
    await expect.poll(told, patient).toBe(1);
    const first = await observeRollout(plane);
    const { spec } = await plane.ask("GET", `${apps}/deployments/docs`);
    expect(spec).toMatchObject({ replicas: 2, template: { spec: { imagePullSecrets: [{ name: "registry" }] } } });
    expect(first.link).toBe(link.bundleUrl);
    expect(first.pods).toHaveLength(2);
    await expect.poll(() => conditionsOf(release), patient).toMatchObject({ Ready: isTrue, Released: isTrue });

    await plane.ask("PATCH", `${core}/secrets/docs-values`, valuesOf(renewed));
    const second = async () => {
      const { status } = await plane.ask("GET", `${pathOf(release)}/docs`);
      return status.history.map(({ version, status: now }: Record<string, unknown>) => [version, now]);
    };
    await expect.poll(second, patient).toEqual([
      [2, "deployed"],
      [1, "superseded"],
    ]);
    expect(await observeRollout(plane)).toEqual({ ...first, link: renewed.bundleUrl });
  });

  /** Returns the OCIRepository of an example, with another name and another registry address. */
  function ociRepositoryFrom(file: string, name: string, repository: string, more: object = {}): KubernetesObject {
    const [source] = manifestsIn(file, (text) => text.replace("registry.example.com/team/docs", repository));
    expect(source).toMatchObject({ kind: "OCIRepository", spec: { url: `oci://${repository}` } });
    return {
      ...source,
      metadata: { ...source?.metadata, name },
      spec: { ...source?.spec, ...more },
    } as KubernetesObject;
  }

  const keySecret = (name: string, { publicKey }: KeyForTest) =>
    plane.ask("POST", `${core}/secrets`, {
      metadata: { name },
      stringData: { "cosign.pub": publicKey.export({ type: "spki", format: "pem" }) },
    });

  it("the image of a mirror is the artifact of the example, by its digest", async () => {
    const world = await signedWorld();
    const digest = digestIn(await mirrored(world));
    const source = ociRepositoryFrom("gitops/flux/site.yaml", "site", world.repository.name);
    await create(source);
    await expect.poll(() => conditionsOf(source), patient).toMatchObject({ Ready: isTrue });
    const { status } = await plane.ask("GET", `${pathOf(source)}/site`);
    expect(status.artifact.revision).toBe(`latest@${digest}`);
  });

  const signedSource = (name: string, repository: string, key: string, ref: object) =>
    ociRepositoryFrom("signedImages/flux.yaml", name, repository, {
      ref,
      verify: { provider: "cosign", secretRef: { name: key } },
    });

  it("a signed image is verified by the key of the example, and refused by another key", async () => {
    const world = await signedWorld();
    const digest = digestIn(await mirrored(world));
    await keySecret("mirror-key", world.key);
    await keySecret("other-key", keyForTest());
    const signed = (name: string, key: string) => signedSource(name, world.repository.name, key, { digest });
    const [good, bad] = [signed("good", "mirror-key"), signed("bad", "other-key")];
    await create(good);
    await create(bad);
    await expect.poll(() => conditionsOf(good), patient).toMatchObject({ Ready: isTrue, SourceVerified: isTrue });
    const refused = expect.stringMatching(/^False: .*signature/);
    await expect.poll(() => conditionsOf(bad), patient).toMatchObject({ Ready: refused });
  });

  it.each(tamperings.map((tampering, number) => [...tampering, number] as const))(
    "after a tampering that leaves %s (in a registry %s), is verified where it should be",
    async (_, __, habit, [, tamper, accepted], number) => {
      const world = await signedWorld(habit);
      const state = await mirrored(world);
      const digest = digestIn(state);
      await tamper({ ...world, state, digest });
      const name = `tampered-${number}`;
      await keySecret(name, world.key);
      const source = signedSource(name, world.repository.name, name, { tag: "latest" });
      await create(source);
      const isDecided = async () => Object.keys(await conditionsOf(source)).includes("SourceVerified");
      await expect.poll(isDecided, patient).toBe(true);
      const { SourceVerified = "" } = await conditionsOf(source);
      expect(SourceVerified).toMatch(accepted ? /^True: / : /^False: /);
    },
  );
});
