import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application, type ProjectReflection, ReflectionKind } from "typedoc";
import { projectRoot } from "../projectRoot.js";
import { referencePage } from "./referencePage.mjs";
import { terraformPage } from "./terraformPage.mjs";

/** Returns the files in sdk/ that a program imports. Each of them has a page. */
function documented(): string[] {
  const index = readFileSync(join(projectRoot, "sdk", "index.ts"), "utf8");
  return [...index.matchAll(/ from "(\.\/\w+)";$/gm)].map(([, file = ""]) => join(projectRoot, "sdk", `${file}.ts`));
}

/** The options of typedoc-plugin-markdown: plain Markdown, one page for each file. */
const form = {
  router: "module",
  entryFileName: "README",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hideGroupHeadings: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true },
};

/** Returns the reference's pages by file name. They come from the docstrings of `sdk/` and from Terraform's schema. */
export async function referencePages(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "reference-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      ...form,
      plugin: ["typedoc-plugin-markdown"],
      outputs: [{ name: "markdown", path: folder }],
      entryPoints: documented(),
      tsconfig: join(projectRoot, "tsconfig.types.json"),
      name: "Reference",
      readme: "none",
      excludeExternals: true,
      excludeInternal: true,
      disableSources: true,
      sort: ["source-order"],
      validation: { notExported: false },
      // Type errors are not checked here, because `npm run check` finds them.
      skipErrorChecking: true,
      logLevel: "Warn",
    });
    await write(app);
    const pages = readdirSync(folder).map((name) => [name, plain(readFileSync(join(folder, name), "utf8"))] as const);
    const reference = pages.map(
      ([name, text]) => [name, name === "README.md" ? contents(text) : referencePage(text)] as const,
    );
    return new Map([...reference, ["terraform.md", terraformPage()]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function write(app: Application): Promise<void> {
  const project = await app.convert();
  if (project !== undefined) {
    simplify(project);
    await app.generateOutputs(project);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("the reference cannot be made: see the messages above");
  }
}

/** Names each page after its class or function. Removes the notes about overridden members of the base class. */
function simplify(project: ProjectReflection): void {
  for (const page of project.children ?? []) {
    const subject = page.children?.find(
      ({ kind }) => kind === ReflectionKind.Class || kind === ReflectionKind.Function,
    );
    page.name = subject?.name ?? page.name;
  }
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.isDeclaration() || reflection.isSignature()) {
      delete reflection.overwrites;
    }
    if (reflection.name === "__namedParameters") {
      reflection.name = "args";
    }
  }
}

function contents(text: string): string {
  return `${text.trimEnd()}\n- [Terraform and OpenTofu, in HCL](terraform.md)\n`;
}

/** Removes the base class, the heading `Modules`, and HTML anchors, which some Markdown renderers do not accept. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<a id="[^"]*"><\/a> /g, "")
    .replaceAll(/^### Extends\n\n- .*\n\n/gm, "")
    .replace(/^## Modules\n\n/m, "");
}
