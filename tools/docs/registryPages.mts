import { exampleFiles, readExample } from "../schema/examples.js";
import { generateSchema } from "../schema/generateSchema.js";
import type { PulumiSchema } from "../schema/pulumiSchema.js";

/** Returns the two pages that Pulumi's registry requires, by file name in docs/. The content comes from the schema. */
export function registryPages(): Map<string, string> {
  const schema = generateSchema();
  return new Map([
    ["_index.md", overview(schema)],
    ["installation-configuration.md", installation(schema)],
  ]);
}

function overview({ displayName, description, resources, functions, repository }: PulumiSchema): string {
  const rows = (members: PulumiSchema["resources"] | PulumiSchema["functions"]) =>
    Object.entries(members).map(
      ([token, member]) => `| \`${token.split(":").at(-1)}\` | ${summary(member.description)} |`,
    );
  return page(displayName, description, [
    description,
    "## Example",
    chooser("ExportBundle"),
    "## Resources",
    ["| resource | is |", "|---|---|", ...rows(resources)].join("\n"),
    "## Functions",
    ["| function | does |", "|---|---|", ...rows(functions)].join("\n"),
    `What each run costs and promises: [the project](${repository}#readme).`,
  ]);
}

function installation({ displayName, language, repository, version, pluginDownloadURL }: PulumiSchema): string {
  const title = `${displayName} Installation & Configuration`;
  const packages = [
    `- JavaScript/TypeScript: \`npm install ${language.nodejs?.packageName}\``,
    `- Python: \`pip install ${language.python?.packageName}\``,
    `- Go: \`go get ${language.go?.importBasePath}@v${version}\``,
    "- Java: `pulumi package add docs-platform`, which writes the sources into the project",
    "- YAML: no package is needed",
  ];
  const settings = [
    "pulumi config set docs-platform:baseUrl https://api.example.com",
    "pulumi config set --secret docs-platform:apiKey",
  ];
  const variables = [
    "export DOCS_PLATFORM_BASE_URL=https://api.example.com",
    "export DOCS_PLATFORM_API_KEY_FILE=$PWD/key",
  ];
  return page(title, `How to install and configure ${displayName} for Pulumi.`, [
    "## Installation",
    packages.join("\n"),
    "Programs fetch the plugin by themselves. To install it before:",
    shell(`pulumi plugin install resource docs-platform v${version} \\`, `  --server ${pluginDownloadURL}`),
    `Other places: [other languages](${repository}/blob/main/docs/guides/languages.md).`,
    "## Configuration",
    "In the stack's configuration, where the second command asks for the key:",
    shell(...settings),
    "Or in the environment, which takes precedence; `key` is a file with the key and nothing else:",
    shell(...variables),
    `All settings, and which source counts first: [configuration](${repository}/blob/main/docs/configuration.md).`,
  ]);
}

function page(title: string, description: string, parts: readonly string[]): string {
  const head = ["---", `title: ${title}`, `meta_desc: ${JSON.stringify(description)}`, "layout: package", "---"];
  return `${[head.join("\n"), ...parts].join("\n\n")}\n`;
}

function shell(...lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}

/** Returns one example in all languages, in the registry's notation for a choice of languages. */
function chooser(name: string): string {
  const blocks = Object.keys(exampleFiles).map((language) =>
    [
      `{{% choosable language ${language} %}}`,
      `\`\`\`${language}\n${readExample(name, language as keyof typeof exampleFiles)}\n\`\`\``,
      "{{% /choosable %}}",
    ].join("\n\n"),
  );
  const languages = Object.keys(exampleFiles).join(",");
  return [`{{< chooser language "${languages}" >}}`, ...blocks, "{{< /chooser >}}"].join("\n\n");
}

/** Returns the first sentence of a description, without the reference to the API text in parentheses. */
function summary(description = ""): string {
  const text = description.replace(/ \("[^)]*\)/, "");
  return cell(/^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/:$/, ".");
}

function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|");
}
