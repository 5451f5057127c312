import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Application, Converter } from "typedoc";
import { projectRoot } from "../projectRoot.js";

/** Returns the pages of the site by heading. The site's navigation lists headings and pages in this order. */
function sitePages(): Readonly<Record<string, readonly string[]>> {
  const guides =
    "delivery publish scheduled-renewal external-secrets pinning air-gap signed-images gitops ci pipelines content-changes preview-environments many-stacks from-curl adopting testing languages cost secrets rights shared-machines upgrade verify-release";
  return {
    Start: [
      "getting-started",
      "concepts",
      "configuration",
      "operations",
      "company",
      "behaviour",
      "mirrors",
      "journal",
      "terraform",
    ].map((name) => `docs/${name}.md`),
    Guides: guides.split(" ").map((name) => `docs/guides/${name}.md`),
    Reference: readFolder("docs/reference"),
    "When it fails": ["docs/troubleshooting.md"],
    Examples: readFolder("examples")
      .map((entry) => (entry.endsWith(".md") ? entry : `${entry}/README.md`))
      .concat("charts/docs-site/README.md")
      .filter((file) => existsSync(join(projectRoot, file))),
    Background: ["docs/admin-api.md", "docs/assumptions.md", "docs/architecture.md"],
    Project: [
      "SECURITY.md",
      "CONTRIBUTING.md",
      ...readFolder("docs/maintainers"),
      "provider/README.md",
      "provider/journal/README.md",
      "simulator/README.md",
      "tools/README.md",
      "lab/README.md",
      "CHANGELOG.md",
    ],
  };
}

/** Returns the pages in a folder: README.md first, then the other pages by name. */
function readFolder(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder)).toSorted();
  return names
    .toSorted((a, b) => Number(b === "README.md") - Number(a === "README.md"))
    .map((name) => `${folder}/${name}`);
}

/** @throws if a page cannot be rendered, or the target of a relative link does not exist. */
export async function writeSite(folder: string): Promise<void> {
  const groups = sitePages();
  const app = await Application.bootstrap({
    entryPoints: [],
    readme: join(projectRoot, "README.md"),
    name: "pulumi-docs-platform",
    projectDocuments: Object.values(groups).flatMap((files) => files.map((file) => join(projectRoot, file))),
    groupOrder: Object.keys(groups),
    searchInDocuments: true,
    navigation: { includeGroups: true },
    visibilityFilters: {},
    disableGit: true,
    sourceLinkTemplate: "none",
    hideGenerator: true,
    headings: { readme: false, document: false },
    highlightLanguages: ["typescript", "javascript", "json", "yaml", "bash", "python", "go", "hcl"],
    customCss: join(projectRoot, "tools", "docs", "site.css"),
    favicon: join(projectRoot, "docs", "pictures", "favicon.svg"),
    logLevel: "Warn",
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const [, title] = /^# (.+)$/m.exec(document.content.map(({ text }) => text).join("")) ?? [];
    document.frontmatter.group =
      Object.keys(groups).find((name) => groups[name]?.includes(`${document.name}.md`)) ?? "";
    document.name = title?.replaceAll("`", "") ?? document.name;
  });
  const project = await app.convert();
  if (project !== undefined) {
    await app.generateDocs(project, folder);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("the site is not as it should be: see the messages above");
  }
}
