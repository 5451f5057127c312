import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { catalogue, toolsOfTests } from "../../../tools/toolchain/catalogue";
import { testFiles, toolsOf } from "../../../tools/toolchain/neededBy";
import { pinFiles, pinnedVersion, requiredModules } from "../../../tools/toolchain/pins";

/** Every folder of pins, by its path from the root. */
const pins = ["tools/pins", "lab/pins"].flatMap((folder) =>
  readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`),
);

const textsOf = (folder: string) => [...pinFiles(join(projectRoot, folder)).values()];
const allPins = pins.flatMap(textsOf);

describe("the catalogue of tools", () => {
  it("is introduced in the README by the oldest Go that builds all tools", () => {
    const versions = allPins.flatMap((text) => /^go (\S+)$/m.exec(text)?.[1] ?? []);
    const oldest = versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
    expect(readFileSync(join(projectRoot, "tools", "README.md"), "utf8")).toContain(`needs Go ${oldest} or later`);
  });

  it("uses every folder of pins, and has for `npm test` the tools that its tests need, and no other", () => {
    // Two pins are not in the catalogue: the binaries of Node.js, for our executables, and Pulumi's language hosts.
    const others = ["tools/pins/node-binaries", "tools/pins/language-hosts"];
    const used = new Set([...catalogue.map((tool) => tool.pins), ...others]);
    expect([...used].sort()).toEqual(pins.toSorted());
    const needed = new Set(testFiles().flatMap((file) => [...toolsOf(file)]));
    expect(toolsOfTests.filter(({ name }) => !needed.has(name))).toEqual([]);
  });

  it("finds what a test file needs through the files that it imports", () => {
    expect(toolsOf("test/support/toxiproxy.ts")).toEqual(new Set(["toxiproxy-server"]));
    expect(toolsOf("test/support/engineTest.ts")).toEqual(new Set(["pulumi"]));
    const generators = ["pulumi-sdk-generator", "pulumi-python", "pulumi", "pulumi-language-java"];
    expect(toolsOf("tools/sdks/main.ts")).toEqual(new Set(generators));
    expect(toolsOf("test/support/requireTool.ts")).toEqual(new Set());
  });
});

describe("a version that several pins share is the same in all of them:", () => {
  it("each module that more than one go.mod requires for itself", () => {
    const found = new Map<string, Set<string>>();
    for (const { module, version } of allPins.flatMap((text) => requiredModules(text, false))) {
      found.set(module, (found.get(module) ?? new Set()).add(version));
    }
    expect(found.get("github.com/pulumi/pulumi/pkg/v3")).toBeDefined();
    expect([...found].filter(([_, versions]) => versions.size > 1)).toEqual([]);
  });

  it("Pulumi in Go and in Python", () => {
    const [cli, python] = ["pulumi", "pulumi-python"].map((name) => catalogue.find((tool) => tool.name === name));
    expect(python && pinnedVersion(python)).toBe(cli && pinnedVersion(cli));
  });

  it("all modules of Kubernetes beside its API server", () => {
    const [text = ""] = textsOf("tools/pins/kubernetes");
    const replaced = [...text.matchAll(/^\tk8s\.io\/\S+ => k8s\.io\/\S+ v0\.(\S+)$/gm)].map(
      ([, found]) => `1.${found}`,
    );
    const server = catalogue.find(({ name }) => name === "kube-apiserver");
    expect(new Set(replaced)).toEqual(new Set([server && pinnedVersion(server)]));
  });
});
