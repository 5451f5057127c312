import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { executablesOnPath } from "../../../tools/processes/executables";
import type { GoTool } from "../../../tools/toolchain/catalogue";
import { findOrBuild } from "../../../tools/toolchain/findOrBuild";
import { goRecipe, keptName } from "../../../tools/toolchain/goRecipe";
import { pinnedVersion } from "../../../tools/toolchain/pins";
import { requireTool } from "../../support/requireTool";

const root = mkdtempSync(join(tmpdir(), "go-tools-"));

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

/** A tool in a module of its own beside its go.mod, so that no network is needed. */
function greeter(main = "func main() { print(version) }"): GoTool {
  const pins = join(root, "greeter");
  const source = join(pins, "module", "cmd", "greeter");
  mkdirSync(source, { recursive: true });
  const modules = ["require example.com/greeter v1.2.3", "replace example.com/greeter => ./module"];
  writeFileSync(join(pins, "go.mod"), ["module tools", "go 1.23", ...modules, ""].join("\n"));
  writeFileSync(join(pins, "go.sum"), "");
  const imports = '//go:build tools\n\npackage tools\n\nimport _ "example.com/greeter/cmd/greeter"\n';
  writeFileSync(join(pins, "tools.go"), imports);
  writeFileSync(join(pins, "module", "go.mod"), "module example.com/greeter\ngo 1.23\n");
  writeFileSync(join(source, "main.go"), `package main\n\nvar version = "none"\n\n${main}\n`);
  const [module, name] = ["example.com/greeter", "greeter"];
  const variables = { "main.version": "v$-$1-$2" };
  return { name, builtBy: "go", pins, module, package: `${module}/cmd/greeter`, variables };
}

/** The names in a cache of the test's own, without the lock. */
const kept = () =>
  readdirSync(join(root, "cache", "pulumi-docs-platform")).filter((name) => !name.startsWith("pulumi.lock"));

describe("a pinned Go tool", () => {
  it("has the version of its module in go.mod, in whichever form it stands there", () => {
    const tool = greeter();
    expect(pinnedVersion(tool)).toBe("1.2.3");
    const block = "module tools\n\nrequire (\n\texample.com/greeter/v2 v2.0.0\n\texample.com/greeter v1.3.0\n)\n";
    writeFileSync(join(tool.pins, "go.mod"), block);
    expect(pinnedVersion(tool)).toBe("1.3.0");
    expect(() => pinnedVersion({ ...tool, module: "example.com/other" })).toThrow("does not pin example.com/other");
  });

  it("is kept under another name when anything of its recipe changes", () => {
    const tool = greeter();
    const name = keptName(tool);
    expect(name).toMatch(/^greeter-1\.2\.3-\w+-\w+-[0-9a-f]{8}$/);
    const others = [
      keptName({ ...tool, variables: {} }),
      keptName({ ...tool, package: "example.com/greeter/cmd/other" }),
      ...["go.mod", "go.sum", "tools.go"].map((file) => {
        const changed = greeter();
        writeFileSync(join(changed.pins, file), "require example.com/greeter v1.2.3\n// changed");
        return keptName(changed);
      }),
    ];
    expect(new Set([name, ...others]).size).toBe(6);
  });
});

describe.skipIf(!requireTool("go"))("a pinned Go tool, built with go", () => {
  /** Only Go's own caches are shared, since the standard library takes a minute to build. */
  function useOwnCache(): void {
    const go = executablesOnPath("go")[0] ?? "";
    vi.stubEnv("GOCACHE", execFileSync(go, ["env", "GOCACHE"], { encoding: "utf8" }).trim());
    vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"));
  }

  it("is built once, with its version, and found from then on without go", async () => {
    useOwnCache();
    const tool = greeter();
    const folder = await findOrBuild([goRecipe(tool)]);
    expect(kept()).toEqual([keptName(tool)]);
    expect(execFileSync("sh", ["-c", '"$0" 2>&1', join(folder, "greeter")], { encoding: "utf8" })).toBe("v1.2.3-1-2");
    vi.stubEnv("PATH", "");
    expect(await findOrBuild([goRecipe(tool)])).toBe(folder);
  });

  it("is not kept where it cannot be built, and go's own words say why", async () => {
    useOwnCache();
    await expect(findOrBuild([goRecipe(greeter("func main() { nothing() }"))])).rejects.toThrow(
      /go build: .*undefined: nothing/s,
    );
    expect(kept()).toEqual([]);
  });
});
