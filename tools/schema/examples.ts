import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** The file of each language's program. Pulumi's registry shows the languages in this order. */
export const exampleFiles = {
  typescript: "index.ts",
  python: "__main__.py",
  go: "main.go",
  java: "App.java",
  yaml: "Pulumi.yaml",
} as const;

export type ExampleLanguage = keyof typeof exampleFiles;

const folder = join(projectRoot, "examples", "registry");

export function exampleNames(): string[] {
  return readdirSync(folder).map((file) => file.replace(/\.md$/, ""));
}

/** Reads one language's example from a page in examples/registry. `npm run campaign` compiles and runs the examples. */
export function readExample(name: string, language: ExampleLanguage): string {
  const page = readFileSync(join(folder, `${name}.md`), "utf8");
  const code = new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, "m").exec(page)?.[1];
  if (code === undefined) {
    throw new Error(`examples/registry/${name}.md has no example in ${language}`);
  }
  return code;
}

/** Returns an example in all languages, in the form that the documentation of a schema requires. */
export function exampleOf(name: string): string {
  const languages = Object.keys(exampleFiles) as ExampleLanguage[];
  const blocks = languages.map((language) => `\`\`\`${language}\n${readExample(name, language)}\n\`\`\``);
  const [, title = ""] = /^description: (.*)$/m.exec(readExample(name, "yaml")) ?? [];
  return [
    ...["{{% examples %}}", "## Example Usage", "{{% example %}}", `### ${title}`],
    ...blocks,
    ...["{{% /example %}}", "{{% /examples %}}"],
  ].join("\n\n");
}
