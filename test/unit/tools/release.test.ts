import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { installedPackages, licenceProblems } from "../../../tools/release/licences";
import { releaseNotes, signatureNotes } from "../../../tools/release/notes";
import { fingerprintLine } from "../../../tools/release/openPgpKey";
import { type ReleaseFacts, releaseProblems } from "../../../tools/release/releaseProblems";
import { billOfMaterials } from "../../../tools/release/sbom";

const good: ReleaseFacts = {
  version: "1.2.0",
  lockedVersion: "1.2.0",
  changelog: "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-21\n\n- A change.\n",
  readme: "# A package\n",
  security: `# Security\n\n${fingerprintLine("A".repeat(40))}`,
  tags: ["v1.2.0"],
  changedFiles: [],
};

describe("the release checklist", () => {
  it.each<[string, Partial<ReleaseFacts>, string]>([
    ["nothing of a release that is ready", {}, ""],
    ["no semantic version", { version: "1.2" }, "version: 1.2 is no semantic version"],
    ["a lockfile of another version", { lockedVersion: "1.1.0" }, "version: package-lock.json has 1.1.0"],
    ["no section in the changelog", { changelog: "## Unreleased\n" }, 'no section "## 1.2.0 - <date>"'],
    [
      "entries that are unreleased",
      { changelog: "## Unreleased\n\n- More.\n\n## 1.2.0 - 2026-11-21\n" },
      '"Unreleased" still holds entries',
    ],
    ["a README that says the contrary", { readme: "> **Not published yet**\n" }, "readme: delete the line"],
    ["no key that signatures can be compared with", { security: fingerprintLine("none yet") }, "signing: SECURITY.md"],
    ["no tag", { tags: ["v1.1.0"] }, "the commit has no tag v1.2.0"],
    ["a tree that is not committed", { changedFiles: ["README.md"] }, "not committed: README.md"],
  ])("names %s", (_, facts, problem) => {
    const found = releaseProblems({ ...good, ...facts });
    expect(found.join("\n")).toContain(problem);
    expect(found.length > 0).toBe(problem !== "");
  });
});

it("the notes of a release are its section of the changelog", () => {
  const text =
    "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-01-02\n\n### Added\n\n- This.\n\n## 1.1.0 - 2026-01-01\n\n- That.\n";
  expect(releaseNotes(text, "1.2.0")).toBe("### Added\n\n- This.");
  expect(releaseNotes(text, "1.1.0")).toBe("- That.");
  expect(() => releaseNotes(text, "1.3.0")).toThrow("has no section on 1.3.0");
  expect(signatureNotes(good.security)).toContain(`\`${"A".repeat(40)}\``);
  expect(() => signatureNotes(fingerprintLine("none yet"))).toThrow("names no fingerprint");
});

it("a release brings along only packages whose licences are allowed, and the bill of materials names each", () => {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8"));
  expect(licenceProblems(packages)).toEqual([]);
  const { metadata, components } = billOfMaterials();
  const names = components.map(({ name }: { name: string }) => name);
  expect(metadata.component.name).toBe("pulumi-docs-platform");
  expect(names.toSorted()).toEqual(
    installedPackages(packages)
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(names).toEqual(expect.arrayContaining(Object.keys(packages[""].dependencies)));
});
