import { mapValues, renameKeys } from "./objects";
import { pathInHome } from "./pathInHome";

/** One host's terms for concepts that every host has. */
export interface HostVocabulary {
  host: "dynamic" | "plugin" | "terraform";
  /** Undefined if the engine does not report its name and version. */
  engine?: string | undefined;
  run: string;
  preview: string;
  /** The command that plans without reading the existing resources. */
  withoutRefresh: string;
  replace: string;
  /** The command that applies only one resource. */
  target: string;
  name(name: string): string;
  type(resource: string): string;
  place(setting: string): string;
  /** Tells the user how to give a setting. A secret on a command line would stay in the shell's history. */
  give(setting: string, secret: boolean): string;
  /** Returns code that sets an argument. Both texts are code of the user's program. */
  argument(name: string, value: string): string;
  adoption(domain: string, jobId: string): string;
  routes(templates: Readonly<Record<string, string>>): string;
  deleteFirst: string;
  createFirst: string;
  /** @returns undefined if the home folder of this user is not known. */
  home(environment: NodeJS.ProcessEnv): string | undefined;
}

const pulumi: HostVocabulary = {
  host: "dynamic",
  run: "pulumi up",
  preview: "preview",
  withoutRefresh: "`pulumi up` without a refresh",
  replace: "pulumi up --replace <urn>",
  target: "pulumi up --target <urn>",
  name: (name) => name,
  type: (resource) => resource,
  place: (setting) => `docs-platform:${setting}`,
  give: (setting, secret) =>
    secret
      ? `run \`pulumi config set --secret docs-platform:${setting}\`, which asks for it`
      : `run \`pulumi config set docs-platform:${setting} <value>\``,
  argument: (name, value) => `${name}: ${value}`,
  adoption: (domain, jobId) => `new StaticExport("…", { domain: ${domain}, jobId: ${jobId} })`,
  routes: (templates) =>
    `pulumi config set docs-platform:routes '${JSON.stringify(templates).replaceAll("'", "'\\''")}'`,
  deleteFirst: "deleteBeforeReplace",
  createFirst: "deleteBeforeReplace: false",
  home: findPulumiHome,
};

export let words: HostVocabulary = pulumi;

export function setWords(hostWords: HostVocabulary = pulumi): void {
  words = hostWords;
}

export function findPulumiHome({ PULUMI_HOME: home }: NodeJS.ProcessEnv): string | undefined {
  return home?.trim() || pathInHome(".pulumi");
}

/** Converts a name to the form of Terraform and Python: `StaticExport` becomes `_static_export`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Also converts the keys of inner objects. */
export function camelCaseKeys(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? mapValues(renameKeys({ ...value }, camelCase), (_, item) => camelCaseKeys(item))
    : value;
}
