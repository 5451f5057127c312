import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { terraformTypeNameOf } from "../../../provider/hosts/terraform/words";
import { resources } from "../../../provider/resources/index";
import { projectRoot } from "../../../tools/projectRoot";
import { registryDocs } from "../../../tools/release/terraform/registryDocs";
import { temporaryFolder } from "../../support/temporaryFolder";

it("a registry gets a page for all that the provider has, in Terraform's words", () => {
  const pages = registryDocs();
  const resourcePages = Object.keys(resources).map(
    (name) => `resources/${terraformTypeNameOf(name).replace("docsplatform_", "")}.md`,
  );
  const others = ["data-sources/agent_job", "ephemeral-resources/export_bundle", "actions/static_export"];
  const named = [...resourcePages, ...others.map((name) => `${name}.md`), "functions/helm_values.md"];
  expect([...pages.keys()]).toEqual(expect.arrayContaining(named));
  expect(pages.get("resources/export_bundle.md")).toContain("- `bundle_url` (String, Sensitive)");
  pages.delete("guides/terraform.md");
  expect([...pages.values()].join("\n")).not.toMatch(/pulumi(?!-docs-platform\/)/i);
});

it("a release replaces the content of the provider's repository by its pages, runs nothing of what was built, and changes no earlier tag", () => {
  const folder = temporaryFolder();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const ran = join(folder, "ran");
  const publish = (page: string, tag: string) => {
    const content = join(folder, page);
    mkdirSync(join(content, "docs"), { recursive: true });
    writeFileSync(join(content, "docs", `${page}.md`), page);
    // An attacker may have added Git hooks to this content. The job that publishes the content must not run them.
    for (const hook of ["pre-commit", "post-commit", "pre-push", "reference-transaction"]) {
      mkdirSync(join(content, ".git", "hooks"), { recursive: true });
      writeFileSync(join(content, ".git", "hooks", hook), `#!/bin/sh\necho ran >> ${ran}\n`, { mode: 0o755 });
    }
    appendFileSync(join(content, ".git", "config"), `[core]\n\tfsmonitor = "echo ran >> ${ran}"\n`);
    writeFileSync(join(content, ".gitattributes"), "* filter=x\n");
    symlinkSync("/etc/passwd", join(content, "docs", "link.md"));
    const command = [content, join(folder, "provider.git"), tag];
    return execFileSync(join(projectRoot, ".ci", "publish-provider"), command, { stdio: "pipe" });
  };
  git("init", "--quiet", "--bare", "provider.git");
  publish("first", "v0.1.0");
  publish("second", "v0.2.0");
  expect(() => publish("third", "v0.1.0")).toThrow("already exists");
  const filesOf = (tag: string) => git("--git-dir=provider.git", "ls-tree", "-r", "--name-only", tag).trim();
  expect(["v0.1.0", "v0.2.0", "HEAD"].map(filesOf)).toEqual(["docs/first.md", "docs/second.md", "docs/second.md"]);
  expect(existsSync(ran)).toBe(false);
});
