import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  Application,
  Converter,
  type DocumentReflection,
  KindRouter,
  type Reflection,
  type TypeDocOptions,
} from "typedoc";
import { projectRoot } from "../../projectRoot.js";

/** The pages of the site: its navigation lists them in this order, under these headings. */
function sitePages(): Readonly<Record<string, readonly string[]>> {
  const guides = "delivery scheduled-renewal pinning air-gap ci from-curl adopting automation-api testing languages";
  return {
    Start: ["getting-started", "concepts", "configuration", "behaviour"].map((name) => `docs/${name}.md`),
    Guides: guides.split(" ").map((name) => `docs/guides/${name}.md`),
    Reference: readFolder("docs/reference"),
    "When it fails": ["docs/troubleshooting.md"],
    Examples: readFolder("examples")
      .map((entry) => (entry.endsWith(".md") ? entry : `${entry}/README.md`))
      .filter((file) => existsSync(join(projectRoot, file))),
    Background: ["docs/admin-api.md", "docs/assumptions.md", "docs/architecture.md"],
    "The house": [
      "SECURITY.md",
      "CONTRIBUTING.md",
      "provider/README.md",
      "simulator/README.md",
      "tools/README.md",
      "CHANGELOG.md",
    ],
  };
}

/** What is always the same. */
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
  highlightLanguages: ["typescript", "json", "yaml", "bash", "python", "go"],
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
  const files = new Map<Reflection, string>();
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const file = document.name;
    const group = Object.keys(groups).find((name) => groups[name]?.includes(`${file}.md`)) ?? "";
    files.set(document, file);
    document.name = titleOf(document);
    document.frontmatter.group = group;
  });
  class FileRouter extends KindRouter {
    protected override getIdealBaseName(reflection: Reflection): string {
      return files.get(reflection) ?? super.getIdealBaseName(reflection);
    }
  }
  app.renderer.defineRouter("files", FileRouter);
  const project = await app.convert();
  if (project !== undefined) {
    await app.generateDocs(project, folder);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("the site is not as it should be: see the messages above");
  }
}

/** The first heading, without its marks. */
function titleOf({ name, content }: DocumentReflection): string {
  const text = content.map((part) => part.text).join("");
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? name;
}
