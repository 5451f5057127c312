import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

/** The programs of examples/languages, which the tests run. */
const programs = [
  ["typescript", "nodejs/index.js"],
  ["python", "python/__main__.py"],
  ["go", "go/main.go"],
  ["yaml", "yaml/Pulumi.yaml"],
] as const;

/** An example in each language, as the documentation of a schema holds it; the same program shows all it declares. */
export function examplesOf(resource: string): string[] {
  if (resource !== "StaticExport") {
    return [];
  }
  const blocks = programs.map(([language, file]) => {
    const text = readFileSync(join(projectRoot, "examples", "languages", file), "utf8");
    return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
  });
  return [
    ["{{% examples %}}", "## Example Usage", "{{% example %}}", "### An export and its link", ...blocks].join("\n\n"),
    "{{% /example %}}",
    "{{% /examples %}}",
  ];
}
