import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** The file of an example in each language, in the order in which Pulumi's registry shows them. */
export const exampleFiles = {
  typescript: "index.ts",
  python: "__main__.py",
  go: "main.go",
  csharp: "Program.cs",
  java: "App.java",
  yaml: "Pulumi.yaml",
} as const;

/**
 * The example of a resource or a function in each language, as the documentation of a schema holds it. A folder of
 * examples/registry holds it; `npm run campaign` compiles and runs it.
 */
export function exampleOf(name: string): string {
  const folder = join(projectRoot, "examples", "registry", name);
  const read = (file: string) => readFileSync(join(folder, file), "utf8").trimEnd();
  const languages = Object.entries(exampleFiles).filter(([, file]) => existsSync(join(folder, file)));
  const blocks = languages.map(([language, file]) => `\`\`\`${language}\n${read(file)}\n\`\`\``);
  const [, title = ""] = /^description: (.*)$/m.exec(read(exampleFiles.yaml)) ?? [];
  return [
    ["{{% examples %}}", "## Example Usage", "{{% example %}}", `### ${title}`, ...blocks].join("\n\n"),
    "{{% /example %}}",
    "{{% /examples %}}",
  ].join("\n\n");
}
