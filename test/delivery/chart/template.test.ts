import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { requireTool } from "../../support/requireTool";
import { chart, helm, helmExecutable, type KubernetesObject, manifests, only, rendered, toolTime } from "./helm";
import { everyValue, existingSecret, image, link, signed } from "./values";

function podTemplate(objects: KubernetesObject[]): unknown {
  return only(objects, "Deployment").spec.template;
}

describe.skipIf(!requireTool("go"))("the chart, in the hands of Helm (built with go)", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);

  it.each([
    ["nothing", {}],
    ["a link", { staticExport: link }],
    ["an image", { staticExport: image }],
    ["everything", everyValue],
  ])("has no fault that `helm lint --strict` finds, given %s", async (_, values) => {
    const { code, stdout } = await helm(["lint", "--strict", chart], values);
    expect(stdout).toContain("0 chart(s) failed");
    expect(code).toBe(0);
  });

  it.each([
    ["link", { staticExport: link }],
    ["existingSecret", existingSecret],
    ["image", { staticExport: image }],
    ["everyValue", everyValue],
  ])("becomes exactly the manifests of golden/%s.yaml", async (name, values) => {
    const shown = ["secret", "service", "deployment"].filter(
      (file) => !["existingSecret", "image"].includes(name) || file !== "secret",
    );
    const flags = shown.flatMap((file) => ["--show-only", `templates/${file}.yaml`]);
    await expect(await rendered(values, ...flags)).toMatchFileSnapshot(`golden/${name}.yaml`);
  });

  it("hands its files to the pods as they are", async () => {
    const { data } = only(await manifests({ staticExport: link }), "ConfigMap");
    for (const name of ["fetchBundle.sh", "nginx.conf"]) {
      expect(data[name]).toBe(readFileSync(join(chart, "files", name), "utf8"));
    }
    expect(Object.keys(data)).toHaveLength(2);
  });

  it("deploys nothing while the export is not enabled, whatever else is given", async () => {
    expect((await rendered({})).trim()).toBe("");
    expect((await rendered({ staticExport: { ...link, enabled: false } })).trim()).toBe("");
  });

  it("deploys all the same objects for a Secret that is there, but the Secret", async () => {
    const kinds = async (values: unknown) => (await manifests(values)).map(({ kind }) => kind).sort();
    expect(await kinds({ staticExport: link })).toEqual(["ConfigMap", "Deployment", "Secret", "Service"]);
    expect(await kinds(existingSecret)).toEqual(["ConfigMap", "Deployment", "Service"]);
  });

  it("mounts an image in place of a link: no Secret, and no container that fetches", async () => {
    const objects = await manifests({ staticExport: image });
    expect(objects.map(({ kind }) => kind).sort()).toEqual(["ConfigMap", "Deployment", "Service"]);
    const { spec } = only(objects, "Deployment").spec.template;
    expect(spec.initContainers).toBeUndefined();
    expect(spec.volumes).toContainEqual({
      name: "site",
      image: { reference: image.image, pullPolicy: "IfNotPresent" },
    });
  });

  it("rolls the pods on another digest, and on nothing else of an export", async () => {
    const old = podTemplate(await manifests({ staticExport: image }));
    const other = image.image.replace(/.$/, "0");
    expect(podTemplate(await manifests({ staticExport: { ...image, version: "job-2" } }))).toEqual(old);
    expect(podTemplate(await manifests({ staticExport: { ...image, image: other } }))).not.toEqual(old);
  });

  it("refuses an image in words, where the cluster is too old to mount one", async () => {
    const run = await helm(["template", "docs", chart, "--kube-version", "1.32.5"], { staticExport: image });
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("staticExport.image needs Kubernetes 1.33 or later");
    expect(run.stderr).toContain("this cluster has v1.32.5. Give staticExport.bundleUrl in its place");
    const link = await helm(["template", "docs", chart, "--kube-version", "1.32.5"], {
      staticExport: existingSecret.staticExport,
    });
    expect(link.code).toBe(0);
  });

  it("holds the link in its Secret only, and a fresh one changes nothing else", async () => {
    const before = await rendered({ staticExport: link });
    expect(before).not.toContain("X-Amz-Signature");
    const fresh = { ...link, bundleUrl: link.bundleUrl.replace(signed, "f".repeat(64)) };
    const [old, renewed] = [await manifests({ staticExport: link }), await manifests({ staticExport: fresh })];
    const { data, ...secret } = only(renewed, "Secret");
    expect(Buffer.from(data.bundleUrl, "base64").toString()).toBe(fresh.bundleUrl);
    expect(only(old, "Secret")).toEqual({ ...secret, data: expect.not.objectContaining(data) });
    expect(renewed.filter(({ kind }) => kind !== "Secret")).toEqual(old.filter(({ kind }) => kind !== "Secret"));
  });

  it.each([
    ["version", { version: "job-2" }],
    ["sha256", { sha256: "a".repeat(64) }],
  ])("rolls the pods on another %s, and changes nothing but the Deployment", async (_, change) => {
    const [old, changed] = [
      await manifests({ staticExport: link }),
      await manifests({ staticExport: { ...link, ...change } }),
    ];
    expect(podTemplate(changed)).not.toEqual(podTemplate(old));
    const others = (objects: KubernetesObject[]) => objects.filter(({ kind }) => kind !== "Deployment");
    expect(others(changed)).toEqual(others(old));
  });

  it.each([
    ["sha256", { sha256: "a".repeat(64) }],
    ["version", { version: "job-1" }],
  ])("rolls the pods of a release without version on a %s, and for a fresh link not", async (_, change) => {
    const { version: __, ...unpinned } = link;
    const of = async (staticExport: object) => podTemplate(await manifests({ staticExport }));
    const old = await of(unpinned);
    expect(JSON.stringify(old)).not.toContain("docs-site/version");
    expect(await of({ ...unpinned, bundleUrl: link.bundleUrl.replace(signed, "f".repeat(64)) })).toEqual(old);
    expect(await of({ ...unpinned, ...change })).not.toEqual(old);
  });

  it("rolls the pods of an image without version on its digest", async () => {
    const { version: _, ...unpinned } = image;
    const of = async (staticExport: object) => podTemplate(await manifests({ staticExport }));
    expect(await of(unpinned)).toEqual(await of(image));
    expect(await of({ ...unpinned, image: image.image.replace(/.$/, "0") })).not.toEqual(await of(unpinned));
  });

  it("does not roll the pods for a sha256 in other letters, or another number of replicas", async () => {
    const of = async (more: object, others = {}) =>
      podTemplate(await manifests({ staticExport: { ...link, ...more }, ...others }));
    expect(await of({ sha256: "A".repeat(64) })).toEqual(await of({ sha256: "a".repeat(64) }));
    expect(await of({}, { replicas: 5 })).toEqual(await of({}));
  });

  it("names its objects after the release, and shortens long names", async () => {
    const name = "a-name-of-a-release-that-is-as-long-as-helm-takes-one";
    const { stdout } = await helm(["template", name, chart], { staticExport: link });
    expect(stdout).toContain(`name: ${name.slice(0, 53)}-link\n`);
  });

  it("says in its notes how to read why a pod does not start", async () => {
    const { stdout } = await helm(["install", "docs", chart, "--dry-run=client"], { staticExport: link });
    expect(stdout).toContain("A pod that does not start says why:");
  });
});
