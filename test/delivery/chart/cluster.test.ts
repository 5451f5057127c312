import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../../support/temporaryFolder";
import { chart, helm, type KubernetesObject, manifests, objectsIn, only, rendered } from "./helm";
import { everyValue, existingSecret, image, link } from "./values";
import { withEachHelm } from "./withEachHelm";

const podOf = (objects: readonly KubernetesObject[]) => only(objects, "Deployment").spec.template.spec;

withEachHelm("the chart (by %s, built with go) in the clusters that there are", () => {
  it("names a user, except on OpenShift, which has its own range for each namespace", async () => {
    const user = { runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 };
    const always = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
    for (const staticExport of [link, image]) {
      const flags = ["--api-versions", "security.openshift.io/v1"];
      expect(podOf(await manifests({ staticExport })).securityContext).toEqual({ ...always, ...user });
      const there = podOf(objectsIn(await rendered({ staticExport }, ...flags)));
      expect(there.securityContext).toEqual(always);
      expect(JSON.stringify(there)).not.toMatch(/runAs(User|Group)|fsGroup/);
    }
  });

  it("reserves on the disk what a pod may write, as a quota and platforms with equal requests and limits ask", async () => {
    const diskOf = async (values: object) => {
      const { initContainers = [], containers, volumes } = podOf(await manifests(values));
      const size = volumes.find(({ name }: { name: string }) => name === "site").emptyDir?.sizeLimit;
      const each = [...initContainers, ...containers].map(({ resources }) => {
        expect(resources.requests["ephemeral-storage"]).toBe(resources.limits["ephemeral-storage"]);
        return Number(resources.limits["ephemeral-storage"]);
      });
      return { each, size };
    };
    const [mebi, gibi] = [1024 ** 2, 1024 ** 3];
    expect(await diskOf({ staticExport: image })).toEqual({ each: [128 * mebi], size: undefined });
    const ofLink = { each: [2 * gibi + 128 * mebi, 128 * mebi], size: String(2 * gibi) };
    expect(await diskOf({ staticExport: link })).toEqual(ofLink);
    const { each } = await diskOf({ staticExport: link, maxBundleBytes: 4 * gibi });
    expect(Math.max(...each)).toBeLessThan(10 * gibi);
  });

  it("keeps an `ephemeral-storage` that is given, as the request and as the limit unless both are given", async () => {
    const [one, two] = [{ "ephemeral-storage": "5Gi" }, { "ephemeral-storage": "6Gi" }];
    const shown = async (fetch: object) =>
      podOf(await manifests({ staticExport: link, resources: { fetch } })).initContainers[0].resources;
    expect(await shown({ limits: one })).toMatchObject({ limits: one, requests: one });
    expect(await shown({ requests: one })).toMatchObject({ limits: one, requests: one });
    expect(await shown({ limits: two, requests: one })).toMatchObject({ limits: two, requests: one });
    const ours = { "ephemeral-storage": String(2 * 1024 ** 3 + 128 * 1024 ** 2) };
    expect(await shown({ limits: null, requests: null })).toEqual({ limits: ours, requests: ours });
  });

  it("gives objects of each release another name, which a Service may have", async () => {
    const names: string[] = [];
    for (const release of ["docs.example.com", "docs-example-com", "1docs", "s1docs", "0"]) {
      const { stdout } = await helm(["template", release, chart], existingSecret);
      names.push(only(objectsIn(stdout), "Service").metadata.name);
    }
    expect(names.filter((name) => !/^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  describe("as a part of another chart", () => {
    /** Renders a parent chart that contains this project's chart once for each alias. */
    async function parent(
      aliases: readonly string[],
      values: object,
      release = "product",
    ): Promise<KubernetesObject[]> {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "charts"));
      cpSync(chart, join(folder, "charts", "docs-site"), { recursive: true });
      const dependencies = aliases.map((alias) => ({
        name: "docs-site",
        version: "0.x",
        condition: `${alias}.enabled`,
        ...(alias !== "docs-site" && { alias }),
      }));
      writeFileSync(
        join(folder, "Chart.yaml"),
        stringify({ apiVersion: "v2", name: "product", version: "1.0.0", dependencies }),
      );
      const { code, stdout, stderr } = await helm(["template", release, folder], values);
      expect(code, stderr).toBe(0);
      return objectsIn(stdout);
    }

    it("accepts global values, and is left out by its condition", async () => {
      const values = { global: { imageRegistry: "x" }, "docs-site": { staticExport: link } };
      const objects = await parent(["docs-site"], values);
      expect(objects.map(({ metadata }) => metadata.name)).toContain("product-docs-site-link");
      expect(await parent(["docs-site"], { "docs-site": { enabled: false, staticExport: link } })).toEqual([]);
    });

    it.each([
      ["alike", ["docs", "docs2"]],
      ["in other letters", ["docs_a", "docs-a", "docsA", "DocsA"]],
      ["that are long", [`${"a".repeat(60)}1`, `${"a".repeat(60)}2`]],
      ["that end in dashes", [`${"a".repeat(35)}-1`, `${"a".repeat(35)}_1`, "docs-", "docs_"]],
    ])("gives objects of two aliases %s two names that Kubernetes accepts", async (_, aliases) => {
      const one = { ...everyValue, fullnameOverride: "" };
      const objects = await parent(aliases, Object.fromEntries(aliases.map((alias) => [alias, one])));
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names).toHaveLength(7 * aliases.length);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^\w+ [a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))).toEqual([]);
      const selectors = objects.filter(({ kind }) => kind === "Service").map(({ spec }) => spec.selector);
      const pods = objects.filter(({ kind }) => kind === "Deployment").map(({ spec }) => spec.template.metadata.labels);
      for (const selector of selectors) {
        const chosen = pods.filter((labels) =>
          Object.entries(selector).every(([name, value]) => labels[name] === value),
        );
        expect(chosen).toHaveLength(1);
        expect(
          Object.values<string>(selector).filter((value) => !/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(value)),
        ).toEqual([]);
      }
    });

    it("keeps the name of its release where it is the whole chart, and accepts another one", async () => {
      const nameOf = async (values: object) => only(await manifests(values), "Deployment").metadata.name;
      expect(await nameOf(existingSecret)).toBe("docs");
      expect(await nameOf({ ...existingSecret, fullnameOverride: "help" })).toBe("help");
    });
  });
});
