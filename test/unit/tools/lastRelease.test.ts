import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { findOrBuild } from "../../../tools/toolchain/findOrBuild";
import { releaseRecipe } from "../../../tools/toolchain/releaseRecipe";
import { requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";

afterEach(() => vi.unstubAllEnvs());

it.skipIf(!requireTool("git"))(
  "a last release that this clone does not have is told of with its pin, and with what gets it",
  async () => {
    vi.stubEnv("XDG_CACHE_HOME", temporaryFolder());
    const pins = temporaryFolder();
    const pin = join(pins, "package.json");
    const commit = "0123456789abcdef0123456789abcdef01234567";
    writeFileSync(pin, JSON.stringify({ dependencies: { "pulumi-docs-platform": commit } }, undefined, 2));
    const tool = { name: "last-release", builtBy: "git", pins, module: "pulumi-docs-platform" } as const;
    await expect(findOrBuild([releaseRecipe(tool)])).rejects.toThrow(
      `this clone has no commit ${commit}, which ${pin} names as the last release, so no test can go on from what it wrote. ` +
        "Get the whole history (git fetch --unshallow --tags), or clone the repository by git, without --depth",
    );
  },
);
