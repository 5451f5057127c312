import { readFileSync } from "node:fs";
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

type Language = keyof typeof exampleFiles;

/**
 * The example of a resource or a function in one language, a file in examples/registry; `npm run campaign` compiles and
 * runs them.
 */
export function readExample(name: string, language: Language): string {
  return readFileSync(join(projectRoot, "examples", "registry", name, exampleFiles[language]), "utf8").trimEnd();
}

/** The example in all languages, in the form that the documentation of a schema has. */
export function exampleOf(name: string): string {
  const languages = Object.keys(exampleFiles) as Language[];
  const blocks = languages.map((language) => `\`\`\`${language}\n${readExample(name, language)}\n\`\`\``);
  const [, title = ""] = /^description: (.*)$/m.exec(readExample(name, "yaml")) ?? [];
  return [
    ...["{{% examples %}}", "## Example Usage", "{{% example %}}", `### ${title}`],
    ...blocks,
    ...["{{% /example %}}", "{{% /examples %}}"],
  ].join("\n\n");
}
