import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { DocumentReflection, type ProjectReflection } from "typedoc";
import { projectRoot } from "../projectRoot.js";

/** How a file is highlighted, by the end of its name. */
const languages: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  js: "javascript",
  json: "json",
  yaml: "yaml",
  yml: "yaml",
  sh: "bash",
  py: "python",
  go: "go",
  tf: "hcl",
};

/**
 * Gives each source file that a page links to a page of its own: a browser would offer most of them as a download. They are
 * in no group, so that the navigation does not list them.
 */
export function addSourcePages(project: ProjectReflection): DocumentReflection[] {
  const paths = [...project.files.getMediaPaths()];
  return paths.flatMap((path) => {
    const language = languages[path.split(".").at(-1) ?? ""];
    if (language === undefined) {
      return [];
    }
    const name = relative(projectRoot, path);
    const code = `\`\`\`\`${language}\n${readFileSync(path, "utf8")}\`\`\`\``;
    const page = new DocumentReflection(name, project, [{ kind: "text", text: `# ${name}\n\n${code}\n` }], {});
    project.addChild(page);
    project.registerReflection(page, undefined, path);
    return [page];
  });
}
