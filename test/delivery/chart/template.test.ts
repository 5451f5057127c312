import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import schema from "../../../charts/docs-site/values.schema.json";
import { chart, helm, type KubernetesObject, manifests, only, rendered } from "./helm";
import { chartForms, everyValue, existingSecret, externalSecret, image, link, signed } from "./values";
import { withEachHelm } from "./withEachHelm";

const { version: _, ...unpinned } = link;
const { version: __, ...unpinnedImage } = image;
const fresh = { bundleUrl: link.bundleUrl.replace(signed, "f".repeat(64)) };
const otherDigest = { image: image.image.replace(/.$/, "0") };
const sha256 = "a".repeat(64);

withEachHelm("the chart, in the hands of %s (built with go)", (version) => {
  it.each([["nothing", {}], ...chartForms])(
    "has no fault that `helm lint --strict` finds, given %s",
    async (_, values) => {
      const { code, stdout } = await helm(["lint", "--strict", chart], values);
      expect(stdout).toContain("0 chart(s) failed");
      expect(code).toBe(0);
    },
  );

  it.each([
    ["image", { staticExport: image }, ["service", "deployment"]],
    ["everyValue", everyValue, ["secret", "service", "deployment", "ingress", "httpRoute", "disruptionBudget"]],
    ["externalSecret", { staticExport: externalSecret }, ["externalSecret"]],
  ])("becomes exactly the manifests of golden/%s.yaml", async (name, values, shown) => {
    const flags = shown.flatMap((file) => ["--show-only", `templates/${file}.yaml`]);
    // Versions of Helm differ in the number of blank lines between two manifests.
    const text = (await rendered(values, ...flags)).replace(/\n+(?=---\n|$)/g, "\n");
    await expect(text).toMatchFileSnapshot(`golden/${name}.yaml`);
  });

  it("hands its files to the pods as they are, and the script only to pods that fetch", async () => {
    const { data } = only(await manifests({ staticExport: link }), "ConfigMap");
    for (const name of ["fetchBundle.sh", "types.conf"]) {
      expect(data[name]).toBe(readFileSync(join(chart, "files", name), "utf8"));
    }
    expect(Object.keys(data).sort()).toEqual(["fetchBundle.sh", "nginx.conf", "types.conf"]);
    const ofImage = only(await manifests({ staticExport: image }), "ConfigMap").data;
    expect(Object.keys(ofImage).sort()).toEqual(["nginx.conf", "types.conf"]);
  });

  it("deploys nothing while the export is not enabled, whatever else is given", async () => {
    expect((await rendered({})).trim()).toBe("");
    expect((await rendered({ staticExport: { ...link, enabled: false } })).trim()).toBe("");
    expect((await rendered({ ...everyValue, enabled: false })).trim()).toBe("");
  });

  // Helm 3 cannot run these tests, because it asks a cluster before it renders the notes.
  const withHelm4 = it.runIf(version === "Helm 4");

  withHelm4("prints the line that verifies the image that it serves", async () => {
    const notes = async (staticExport: object) =>
      (await helm(["install", "docs", chart, "--dry-run=client"], { staticExport })).stdout.split("NOTES:")[1];
    expect(await notes(image)).toContain(
      `\n  cosign verify --key signing.pub --insecure-ignore-tlog=true ${image.image}\n`,
    );
    expect(await notes(link)).not.toContain("cosign");
  });

  it("refuses an image in words, where the cluster is too old to mount one", async () => {
    const run = await helm(["template", "docs", chart, "--kube-version", "1.32.5"], { staticExport: image });
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("staticExport.image needs Kubernetes 1.33 or later");
    expect(run.stderr).toContain("this cluster has v1.32.5. Give staticExport.bundleUrl in its place");
    expect(run.stderr).toContain("name yours by --kube-version");
    const link = await helm(["template", "docs", chart, "--kube-version", "1.32.5"], {
      staticExport: existingSecret.staticExport,
    });
    expect(link.code).toBe(0);
  });

  it("contains the link in its Secret only, and a fresh one changes nothing else", async () => {
    const before = await rendered({ staticExport: link });
    expect(before).not.toContain("X-Amz-Signature");
    const [old, renewed] = [
      await manifests({ staticExport: link }),
      await manifests({ staticExport: { ...link, ...fresh } }),
    ];
    const { data, ...secret } = only(renewed, "Secret");
    expect(Buffer.from(data.bundleUrl, "base64").toString()).toBe(fresh.bundleUrl);
    expect(only(old, "Secret")).toEqual({ ...secret, data: expect.not.objectContaining(data) });
    expect(renewed.filter(({ kind }) => kind !== "Secret")).toEqual(old.filter(({ kind }) => kind !== "Secret"));
  });

  it.each<[boolean, string, object, object]>([
    [true, "another version", link, { version: "job-2" }],
    [true, "a sha256", link, { sha256 }],
    [true, "a version, of a release without one", unpinned, { version: "job-1" }],
    [true, "a sha256, of a release without version", unpinned, { sha256 }],
    [true, "another job of External Secrets", externalSecret, { version: "job-2" }],
    [true, "another digest", image, otherDigest],
    [true, "another digest, without version", unpinnedImage, otherDigest],
    [false, "a fresh link", link, fresh],
    [false, "a fresh link, without version", unpinned, fresh],
    [false, "a sha256 in other letters", { ...link, sha256 }, { sha256: sha256.toUpperCase() }],
    [false, "another version of the same digest", image, { version: "job-2" }],
    [false, "no version of the same digest", image, { version: "" }],
  ])("rolls the pods (%s) for %s, and changes nothing else but the link's Secret", async (rolls, _, before, change) => {
    const [old, changed] = [
      await manifests({ staticExport: before }),
      await manifests({ staticExport: { ...before, ...change }, replicas: 5 }),
    ];
    const template = (objects: KubernetesObject[]) => only(objects, "Deployment").spec.template;
    expect(isDeepStrictEqual(template(changed), template(old))).toBe(!rolls);
    const others = (objects: KubernetesObject[]) =>
      objects.filter(({ kind }) => !["Deployment", "Secret", "ExternalSecret", "Webhook"].includes(kind));
    expect(others(changed)).toEqual(others(old));
  });

  it("asks for the link of the very job that is pinned, whatever its id", async () => {
    const webhook = only(await manifests({ staticExport: { ...externalSecret, version: "a b+c/d?é" } }), "Webhook");
    expect(webhook.spec.url).toBe("https://api.example.com/v1/static-export/jobs/a%20b%2Bc%2Fd%3F%C3%A9/bundle");
  });

  it("accepts nothing (null) for each value that may be empty", async () => {
    interface Value {
      description: string;
      default?: unknown;
      properties?: Record<string, Value>;
    }
    const nothing = (properties: Record<string, Value>): object =>
      Object.fromEntries(
        Object.entries(properties).flatMap(([name, value]): [string, unknown][] => {
          if (value.default === undefined) {
            return value.properties ? [[name, nothing(value.properties)]] : [];
          }
          return ['""', "{}", "[]"].includes(JSON.stringify(value.default)) ? [[name, null]] : [];
        }),
      );
    const { staticExport, ...others } = nothing(schema.properties) as { staticExport: object };
    expect(Object.keys(others)).toContain("nodeSelector");
    for (const form of [unpinned, image, externalSecret]) {
      const given = { ...others, staticExport: { ...staticExport, ...form } };
      expect(await rendered(given)).toBe(await rendered({ staticExport: form }));
    }
  });

  it("names its objects after the release, and shortens long names", async () => {
    const name = "a-name-of-a-release-that-is-as-long-as-helm-takes-one";
    const { stdout } = await helm(["template", name, chart], { staticExport: link });
    expect(stdout).toContain(`name: ${name.slice(0, 53)}-link\n`);
  });

  it("accepts names of Secrets as text, also where they look like numbers", async () => {
    const values = { ...existingSecret.staticExport, existingSecret: "0123" };
    const { spec } = only(await manifests({ staticExport: values, imagePullSecrets: ["1e3"] }), "Deployment").spec
      .template;
    expect(spec.imagePullSecrets).toEqual([{ name: "1e3" }]);
    expect(spec.volumes).toContainEqual({ name: "link", secret: expect.objectContaining({ secretName: "0123" }) });
  });

  withHelm4("says in its notes how to read why a pod does not start, also if its Secret is not there", async () => {
    for (const [staticExport, hasInit] of [
      [link, true],
      [existingSecret.staticExport, true],
      [image, false],
    ]) {
      const { stdout } = await helm(["install", "docs", chart, "--dry-run=client"], { staticExport });
      const [, reasons = ""] = stdout.split("Why a pod does not start:");
      expect(reasons).toContain("kubectl -n default events --types Warning");
      expect(reasons.includes("initContainerStatuses")).toBe(hasInit);
    }
  });
});
