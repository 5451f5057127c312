import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

const readJson = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), "utf8"));

export function goModule(): string {
  return readJson("plugin/schema.json").language.go.importBasePath;
}

/** Commits the Go module and tags the commit, because Go fetches modules by tags. Returns the tag to push. */
export function tagGoModule(repository: string, module: string, version: string): string {
  const path = goModule().split("/").slice(3).join("/");
  const scratch = mkdtempSync(join(tmpdir(), "go-tag-"));
  try {
    const environment = { ...process.env, GIT_INDEX_FILE: join(scratch, "index") };
    const git = (args: readonly string[], cwd = repository) =>
      execFileSync("git", args, { cwd, env: environment, encoding: "utf8" }).trim();
    const folder = git(["rev-parse", "--absolute-git-dir"]);
    git([`--git-dir=${folder}`, "--work-tree=.", "add", "--all", "--force", "."], module);
    const tree = git(["write-tree"]);
    git(["read-tree", "HEAD"]);
    git(["read-tree", `--prefix=${path}/`, tree]);
    const commit = git(["commit-tree", "-p", "HEAD", "-m", `Go module ${version}`, git(["write-tree"])]);
    const tag = `${path}/v${version}`;
    git(["tag", tag, commit]);
    return tag;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** `npm run release:go`: tags the module that `npm run sdks` has made. */
if (require.main === module) {
  console.log(tagGoModule(projectRoot, join(projectRoot, "dist", "sdks", "go"), readJson("package.json").version));
}
