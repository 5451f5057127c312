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
const read = (name: string) => readFileSync(join(projectRoot, folder, name), "utf8");

/** Returns the generated files of the chart, by their paths in the project. */
export function chartFiles(): [path: string, text: string][] {
  const { properties = {} } = JSON.parse(read("values.schema.json")) as Value;
  const values = `# Written by \`npm run schema\` from values.schema.json.\n${valuesFile(properties).replaceAll(/^ +$/gm, "")}`;
  const [head = "", tail = ""] = read("README.md").split(/(?<=<!-- values -->\n)[\s\S]*(?=<!-- end -->)/);
  return [
    [join(folder, "values.yaml"), values],
    [join(folder, "README.md"), `${head}\n${valuesTable(properties)}\n${tail}`],
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

/** Makes the table of values. Values that follow each other and have the same meaning share a row. */
function valuesTable(values: Record<string, Value>): string {
  const rows: { names: string[]; default: string; description: string }[] = [];
  for (const row of rowsOf(values)) {
    const last = rows.at(-1);
    if (last && last.description === row.description && (last.default === row.default || row.names[0]?.includes("."))) {
      last.names.push(...row.names);
      last.default = "";
    } else {
      rows.push(row);
    }
  }
  const lines = rows.map(
    ({ names, default: standard, description }) =>
      `| ${names.map((name) => `\`${name}\``).join(", ")} | ${standard} | ${description} |`,
  );
  return `| value | default | meaning |\n|---|---|---|\n${lines.join("\n")}\n`;
}

function rowsOf(
  values: Record<string, Value>,
  prefix = "",
): { names: string[]; default: string; description: string }[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (value.properties && !("default" in value)) {
      return rowsOf(value.properties, `${path}.`);
    }
    return [{ names: [path], default: shown(value.default), description: value.description }];
  });
}

/** Returns the text for a default in the table: an empty text for an empty default, and an image without its digest. */
function shown(value: unknown): string {
  const isEmpty =
    value === undefined || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  return isEmpty ? "" : typeof value === "object" ? "small" : `\`${String(value).split("@")[0]}\``;
}

/** Returns the content types for nginx. They are those that mirrors give to files in a bucket. */
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
