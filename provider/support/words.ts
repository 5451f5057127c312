import { inHome } from "./homeFolder";
import { shellWord } from "./shellWord";

/**
 * The words that a host's users have for the things that every host has. An error uses only words that its users know.
 */
export interface Words {
  run: string;
  preview: string;
  /** The command that plans without a read of the existing resources. */
  withoutRefresh: string;
  replace: string;
  /** The command that applies one resource alone. */
  target: string;
  name(name: string): string;
  place(setting: string): string;
  /** Describes how to set a setting on this host. A secret on a command line would stay in the shell's history. */
  give(setting: string, secret: boolean): string;
  /** Returns the code that sets an argument to a value. Both texts are code of the program. */
  argument(name: string, value: string): string;
  adoption(domain: string, jobId: string): string;
  /** Returns the line that gives the setting `routes` these templates. */
  routes(templates: Readonly<Record<string, string>>): string;
  deleteFirst: string;
  createFirst: string;
  /** @returns undefined if the home folder of this user is not known. */
  home(environment: NodeJS.ProcessEnv): string | undefined;
}

const pulumi: Words = {
  run: "pulumi up",
  preview: "preview",
  withoutRefresh: "`pulumi up` without a refresh",
  replace: "pulumi up --replace <urn>",
  target: "pulumi up --target <urn>",
  name: (name) => name,
  place: (setting) => `docs-platform:${setting}`,
  give: (setting, secret) =>
    secret
      ? `run \`pulumi config set --secret docs-platform:${setting}\`, which asks for it`
      : `run \`pulumi config set docs-platform:${setting} <value>\``,
  argument: (name, value) => `${name}: ${value}`,
  adoption: (domain, jobId) => `new StaticExport("…", { domain: ${domain}, jobId: ${jobId} })`,
  routes: (templates) => `pulumi config set docs-platform:routes ${shellWord(JSON.stringify(templates))}`,
  deleteFirst: "deleteBeforeReplace",
  createFirst: "deleteBeforeReplace: false",
  home: pulumiHome,
};

export let words: Words = pulumi;

/** @param hostWords default: Pulumi's words. */
export function setWords(hostWords: Words = pulumi): void {
  words = hostWords;
}

export function pulumiHome({ PULUMI_HOME: home }: NodeJS.ProcessEnv): string | undefined {
  return home?.trim() || inHome(".pulumi");
}

/** Converts a name such as `expectedSha256` for Terraform and Python. `StaticExport` gets an underscore before it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts the keys of an object, and of the objects in it. */
export function camelCaseKeys(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [camelCase(name), camelCaseKeys(item)]))
    : value;
}
