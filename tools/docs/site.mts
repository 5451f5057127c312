import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Application, Converter, IndexEvent, type Reflection, type TypeDocOptions } from "typedoc";
import { projectRoot } from "../projectRoot.js";
import { FileRouter, fileOf } from "./router.mjs";
import { sectionsOf } from "./sections.mjs";
import { addSourcePages } from "./sourcePages.mjs";

/** The pages of the site: its navigation lists them in this order, under these headings. */
function sitePages(): Readonly<Record<string, readonly string[]>> {
  const guides =
    "delivery scheduled-renewal pinning air-gap gitops ci from-curl adopting many-stacks testing languages";
  return {
    Start: ["getting-started", "concepts", "configuration", "company", "behaviour", "journal", "terraform"].map(
      (name) => `docs/${name}.md`,
    ),
    Guides: guides.split(" ").map((name) => `docs/guides/${name}.md`),
    Reference: readFolder("docs/reference"),
    "When it fails": ["docs/troubleshooting.md"],
    Examples: readFolder("examples")
      .map((entry) => (entry.endsWith(".md") ? entry : `${entry}/README.md`))
      .filter((file) => existsSync(join(projectRoot, file))),
    Background: ["docs/admin-api.md", "docs/assumptions.md", "docs/architecture.md"],
    Project: [
      "SECURITY.md",
      "CONTRIBUTING.md",
      "provider/README.md",
      "simulator/README.md",
      "tools/README.md",
      "lab/README.md",
      "CHANGELOG.md",
    ],
  };
}

/** The options that never change. */
const form: Partial<TypeDocOptions> = {
  entryPoints: [],
  readme: join(projectRoot, "README.md"),
  name: "pulumi-docs-platform",
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
};

/** README.md first, then the others by name. */
function readFolder(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder)).toSorted();
  return names
    .toSorted((a, b) => Number(b === "README.md") - Number(a === "README.md"))
    .map((name) => `${folder}/${name}`);
}

/**
 * Renders the pages, with their navigation and a search, to files that any static host can serve.
 * @throws where a page cannot be rendered, or a relative link leads nowhere.
 */
export async function writeSite(folder: string): Promise<void> {
  const groups = sitePages();
  const app = await Application.bootstrap({
    ...form,
    projectDocuments: Object.values(groups).flatMap((files) => files.map((file) => join(projectRoot, file))),
    groupOrder: Object.keys(groups),
    router: "files",
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const file = document.name;
    const group = Object.keys(groups).find((name) => groups[name]?.includes(`${file}.md`)) ?? "";
    fileOf.set(document, file);
    document.name = sectionsOf(document)[0]?.title ?? file;
    document.frontmatter.group = group;
  });
  app.renderer.defineRouter("files", FileRouter);
  const project = await app.convert();
  if (project !== undefined) {
    const sources = new Set<Reflection>(addSourcePages(project));
    for (const page of sources) {
      fileOf.set(page, page.name);
    }
    app.renderer.on(IndexEvent.PREPARE_INDEX, (event) => leaveOut(event, sources));
    await app.generateDocs(project, folder);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("the site is not as it should be: see the messages above");
  }
}

/** Leaves pages out of the search. */
function leaveOut(event: IndexEvent, pages: ReadonlySet<Reflection>): void {
  for (let index = event.searchResults.length - 1; index >= 0; index--) {
    const found = event.searchResults[index];
    if (found !== undefined && pages.has(found)) {
      event.removeResult(index);
    }
  }
}
