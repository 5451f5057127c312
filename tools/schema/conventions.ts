import { exampleFiles } from "./examples";

interface Described {
  description?: string;
  default?: unknown;
  secret?: boolean;
  properties?: Record<string, Described>;
  inputProperties?: Record<string, Described>;
  inputs?: Described;
  outputs?: Described;
}

/** The used fields of a Pulumi schema. */
export interface PulumiSchema {
  name: string;
  version: string;
  description: string;
  displayName: string;
  publisher: string;
  namespace: string;
  homepage: string;
  repository: string;
  license: string;
  logoUrl: string;
  keywords: string[];
  language: Record<string, Record<string, unknown>>;
  config: { variables: Record<string, Described> };
  resources: Record<string, Described>;
  functions: Record<string, Described>;
  types: Record<string, Described>;
}

const texts = ["name", "displayName", "version", "description", "publisher", "namespace", "license"] as const;
const addresses = ["homepage", "repository", "logoUrl"] as const;
/** The place of a package's name in each language's block. */
const packageNames = {
  nodejs: "packageName",
  python: "packageName",
  go: "importBasePath",
  csharp: "rootNamespace",
  java: "basePackage",
} as const;
/** The names that belong to Pulumi in the registries of the languages. */
const ofPulumi = /^(@pulumi\/|pulumi$|github\.com\/pulumi\/|com\.pulumi|Pulumi$|Pulumi\.)/;

/** Rules of Pulumi's registry for providers of third parties that `pulumi schema check` does not check. */
export function conventionProblems(schema: PulumiSchema): string[] {
  return [
    ...texts.filter((name) => !schema[name]).map((name) => `${name} is missing`),
    ...addresses.filter((name) => !/^https:\/\//.test(schema[name] ?? "")).map((name) => `${name} is no https address`),
    ...["kind/", "category/"]
      .filter((prefix) => schema.keywords.filter((keyword) => keyword.startsWith(prefix)).length !== 1)
      .map((prefix) => `keywords: there must be one ${prefix}…`),
    ...nameProblems(schema),
    ...Object.keys({ ...schema.resources, ...schema.functions, ...schema.types })
      .filter((token) => !new RegExp(`^${schema.name}:index:[A-Za-z]\\w*$`).test(token))
      .map((token) => `${token} is not of the module index`),
    ...exampleProblems(schema),
    ...Object.entries(schema.config.variables).flatMap(([name, variable]) => undescribed(name, variable)),
    ...Object.entries({ ...schema.resources, ...schema.functions }).flatMap(([token, each]) =>
      undescribed(token, each),
    ),
  ];
}

function nameProblems({ language, repository }: PulumiSchema): string[] {
  return Object.entries(packageNames).flatMap(([each, key]) => {
    const name = String(language[each]?.[key] ?? "");
    if (name === "" || ofPulumi.test(name)) {
      return [`language.${each}.${key}: ${name || "nothing"} is not a name of this project's own`];
    }
    const isGoPath = each !== "go" || `https://${name}`.startsWith(`${repository}/`);
    return isGoPath ? [] : [`language.go.${key}: ${name} is no path of ${repository}`];
  });
}

function exampleProblems({ resources, functions }: PulumiSchema): string[] {
  return Object.entries({ ...resources, ...functions }).flatMap(([token, { description = "" }]) =>
    Object.keys(exampleFiles)
      .filter((language) => !description.includes(`\`\`\`${language}\n`))
      .map((language) => `${token}: there is no example in ${language}`),
  );
}

/** The parts without a description: the definition itself, or properties of it. */
function undescribed(name: string, thing: Described): string[] {
  const { description, inputs, outputs, ...others } = thing;
  const properties = { ...inputs?.properties, ...outputs?.properties, ...others.properties, ...others.inputProperties };
  return [
    ...(description ? [] : [`${name} has no description`]),
    ...Object.entries(properties)
      .filter(([, property]) => !property.description)
      .map(([property]) => `${name}.${property} has no description`),
  ];
}
