import { readFileSync } from "node:fs";
import { join } from "node:path";
import { charset, types } from "mime-types";
import { stringify } from "yaml";
import { projectRoot } from "../projectRoot";

/** A value of the chart, as its `values.schema.json` describes it. */
interface Value {
  description: string;
  default?: unknown;
  properties?: Record<string, Value>;
}

const folder = join("charts", "docs-site");

/** Returns the generated files of the chart, by their paths in the project. */
export function chartFiles(): [path: string, text: string][] {
  const { properties = {} } = JSON.parse(
    readFileSync(join(projectRoot, folder, "values.schema.json"), "utf8"),
  ) as Value;
  const values = `# Written by \`npm run schema\` from values.schema.json.\n${valuesFile(properties).replaceAll(/^ +$/gm, "")}`;
  return [
    [join(folder, "values.yaml"), values],
    [join(folder, "files", "types.conf"), contentTypes()],
  ];
}

function valuesFile(values: Record<string, Value>): string {
  let earlier = "";
  return Object.entries(values)
    .map(([name, value]) => {
      const comment = value.description === earlier ? "" : commentOf(value.description);
      earlier = value.description;
      if ("default" in value) {
        return comment + stringify({ [name]: value.default }, { lineWidth: 0 });
      }
      return value.properties ? `${comment}${name}:\n${valuesFile(value.properties).replaceAll(/^/gm, "  ")}` : "";
    })
    .join("")
    .trimEnd()
    .concat("\n");
}

function commentOf(text: string): string {
  return `\n${text.replaceAll(/(.{1,118})( |$)/g, "# $1\n")}`;
}

/** Returns the content types for nginx: the same types that mirrors give to files in a bucket. */
function contentTypes(): string {
  const extensions = new Map<string, string[]>();
  for (const [extension, type] of Object.entries(types).sort()) {
    extensions.set(type, [...(extensions.get(type) ?? []), extension]);
  }
  const names = [...extensions.keys()].sort();
  // HTML is left out, because nginx always sets a character set for HTML, and warns if the configuration names HTML.
  const texts = names.filter((type) => charset(type) === "UTF-8" && type !== "text/html");
  return [
    "# Written by `npm run schema`: the types that mirrors give to files in a bucket.",
    "types {",
    ...names.map((type) => `  ${type} ${extensions.get(type)?.join(" ")};`),
    "}",
    "charset_types",
    ...texts.map((type) => `  ${type}`),
    "  ;",
    "",
  ].join("\n");
}
