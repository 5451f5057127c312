import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { catalogue, toolsOfTests } from "../../../tools/toolchain/catalogue";
import { neededBy, toolsOf } from "../../../tools/toolchain/neededBy";
import { pinFiles, pinnedVersion, requiredModules, toolPackages } from "../../../tools/toolchain/pins";
import { markdownTable } from "../../support/markdownTable";

/** Every folder of pins, by its path from the root. */
const pins = ["tools/pins", "lab/pins"].flatMap((folder) =>
  readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`),
);

/** The text of every file that pins versions. */
function allPins(): string[] {
  return pins.flatMap((folder) => [...pinFiles(join(projectRoot, folder)).values()]);
}

/** The versions that a go.mod requires itself, by the module. */
function requiredVersions(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const text of allPins()) {
    for (const { module, version } of requiredModules(text, false)) {
      found.set(module, (found.get(module) ?? new Set()).add(version));
    }
  }
  return found;
}

/** A line for each tool, in the order of the catalogue. */
function toolTable(): string {
  const rows = catalogue.map((tool) => [
    tool.name,
    pinnedVersion(tool),
    `\`${tool.pins}\``,
    tool.builtBy,
    String(tool.minutes),
    [...neededBy(tool.name), ...("campaignOnly" in tool ? ["in the campaign only"] : [])].join(", "),
  ]);
  const head = ["tool", "version", "pins", "built by", "minutes", "needed by"];
  return markdownTable([head, ...rows]).join("\n");
}

describe("the catalogue of tools", () => {
  it("is the table of tools/README.md, with the pinned versions and with what needs each tool", () => {
    expect(readFileSync(join(projectRoot, "tools", "README.md"), "utf8")).toContain(`\n${toolTable()}\n`);
  });

  it("is introduced there by the oldest Go that builds all tools", () => {
    const versions = allPins().flatMap((text) => /^go (\S+)$/m.exec(text)?.[1] ?? []);
    const oldest = versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
    expect(readFileSync(join(projectRoot, "tools", "README.md"), "utf8")).toContain(`needs Go ${oldest} or later`);
  });

  it("uses every folder of pins, and holds no tool that nothing needs", () => {
    // Executables are made of the binaries of Node.js.
    const used = new Set([...catalogue.map((tool) => tool.pins), "tools/pins/node-binaries"]);
    expect([...used].sort()).toEqual(pins.toSorted());
    expect(catalogue.filter(({ name }) => neededBy(name).length === 0)).toEqual([]);
  });

  it("builds what the go.mod of its pins names as tools, or the program beside it", () => {
    const built = catalogue.flatMap((tool) => {
      const packages = "package" in tool ? [tool.package, ...("companions" in tool ? tool.companions : [])] : [];
      return packages.filter((name) => name !== ".").map((name) => ({ pins: tool.pins, name }));
    });
    const isNamed = ({ pins, name }: { pins: string; name: string }) =>
      [...pinFiles(join(projectRoot, pins)).values()].some((text) => toolPackages(text).includes(name));
    expect(built.filter((tool) => !isNamed(tool))).toEqual([]);
  });

  it("builds Pulumi first, then the longest builds first", () => {
    const [first, ...others] = toolsOfTests;
    expect(first?.name).toBe("pulumi");
    const minutes = others.filter(({ name }) => name !== "kube-controller-manager").map((tool) => tool.minutes);
    expect(minutes).toEqual(minutes.toSorted((a, b) => b - a));
  });

  it("finds what a test file needs through the files that it imports", () => {
    expect(toolsOf("test/support/toxiproxy.ts")).toEqual(new Set(["toxiproxy-server"]));
    expect(toolsOf("test/support/engineTest.ts")).toEqual(new Set(["pulumi"]));
    expect(toolsOf("tools/sdks/main.ts")).toEqual(new Set(["pulumi-sdk-generator", "pulumi-python"]));
    expect(toolsOf("test/support/requireTool.ts")).toEqual(new Set());
  });
});

describe("a version that several pins share is the same in all of them:", () => {
  it("each module that more than one go.mod requires for itself", () => {
    const direct = requiredVersions();
    expect(direct.get("github.com/pulumi/pulumi/pkg/v3")).toBeDefined();
    expect([...direct].filter(([_, found]) => found.size > 1)).toEqual([]);
  });

  it("Pulumi in Go and in Python", () => {
    const [cli, python] = ["pulumi", "pulumi-python"].map((name) => catalogue.find((tool) => tool.name === name));
    expect(python && pinnedVersion(python)).toBe(cli && pinnedVersion(cli));
  });

  it("all modules of etcd, which the Kubernetes API server brings too", () => {
    const folders = ["etcd", "kubernetes"].map((name) =>
      [...pinFiles(join(projectRoot, "tools/pins", name)).values()].join("\n"),
    );
    const modules = folders.map((text) =>
      requiredModules(text, true).filter(({ module }) => /^go\.etcd\.io\/etcd\//.test(module)),
    );
    expect(modules.every((found) => found.length >= 2)).toBe(true);
    expect(new Set(modules.flat().map(({ version }) => version)).size).toBe(1);
  });

  it("all modules of Kubernetes beside its API server", () => {
    const [text = ""] = pinFiles(join(projectRoot, "tools/pins/kubernetes")).values();
    const replaced = [...text.matchAll(/^\tk8s\.io\/\S+ => k8s\.io\/\S+ v0\.(\S+)$/gm)].map(
      ([_, version]) => `1.${version}`,
    );
    const server = catalogue.find(({ name }) => name === "kube-apiserver");
    expect(new Set(replaced)).toEqual(new Set([server && pinnedVersion(server)]));
  });
});
