import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { catalogue, toolsOfTests } from "../../../tools/toolchain/catalogue";
import { pinFiles, requiredModules } from "../../../tools/toolchain/pins";
import { testFiles, toolsNeededBy } from "../../../tools/toolchain/toolsNeededBy";

const pins = ["tools/pins", "lab/pins"].flatMap((folder) =>
  readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`),
);

const textsOf = (folder: string) => [...pinFiles(join(projectRoot, folder)).values()];
const allPins = pins.flatMap(textsOf);

describe("the catalogue of tools", () => {
  it("uses every folder of pins, and has for `npm test` the tools that its tests need, and no other", () => {
    // Pins that are no tools: the Node.js binaries in our executables, and Pulumi's language hosts.
    const others = ["tools/pins/node-binaries", "tools/pins/language-hosts"];
    const used = new Set([...catalogue.map((tool) => tool.pins), ...others]);
    expect([...used].sort()).toEqual(pins.toSorted());
    const needed = new Set(testFiles().flatMap((file) => [...toolsNeededBy(file)]));
    expect(toolsOfTests.filter(({ name }) => !needed.has(name))).toEqual([]);
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
});
