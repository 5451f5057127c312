import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DeploymentType, type FeatureAvailability, featureAvailability } from "../../../sdk/featureAvailability";
import { projectRoot } from "../../../tools/projectRoot";

const types: readonly DeploymentType[] = ["cloud", "client-hosted", "air-gapped"];

const keys: Readonly<Record<string, keyof FeatureAvailability>> = {
  "Documentation search": "documentationSearch",
  "AI assistant": "aiAssistant",
  "Web analytics": "webAnalytics",
  'API playground ("Try it")': "apiPlayground",
  "Static export bundle": "staticExportBundle",
};

/** Returns the rows of the table in the API text. The first row is the head. */
function table(): string[][] {
  const text = readFileSync(join(projectRoot, "docs", "admin-api.md"), "utf8");
  const [, section = ""] = text.split("### Feature availability by deployment type");
  const lines = section.split(/^#/m)[0]?.split("\n") ?? [];
  return lines
    .filter((line) => line.startsWith("|") && !line.startsWith("|---"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

const [heading = [], ...rows] = table();
const cells = rows.flatMap(([feature = "", ...words]) =>
  words.map((word, column) => ({ feature, type: types[column] ?? "cloud", word: word.toLowerCase() })),
);

describe("featureAvailability", () => {
  it("agrees with the whole table of the API text", () => {
    expect(heading).toEqual(["Feature", "Cloud", "Client-hosted", "Air-gapped"]);
    expect(heading.slice(1).map((name) => name.toLowerCase())).toEqual(types);
    expect(rows.map(([feature]) => feature)).toEqual(Object.keys(keys));
    expect(cells).toHaveLength(15);
  });

  it.each(cells)("says that $feature is $word in a $type deployment", ({ feature, type, word }) => {
    expect(featureAvailability(type)[keys[feature] ?? "apiPlayground"]).toBe(word);
  });

  it.each(["Cloud", "on-prem", "", "toString", "__proto__", undefined])("refuses %j, naming the three", (type) => {
    expect(() => featureAvailability(type as DeploymentType)).toThrow(
      `featureAvailability: "${type}" is not a deployment type; the types are cloud, client-hosted, air-gapped`,
    );
  });

  it("hands out a copy: what a caller changes in it changes nothing for the next one", () => {
    Object.assign(featureAvailability("cloud"), { webAnalytics: "unavailable" });
    expect(featureAvailability("cloud").webAnalytics).toBe("available");
  });
});
