import { homedir } from "node:os";
import { join } from "node:path";

/** How a host's users call what every host has: an error names nothing that they do not know. */
export interface Words {
  /** The command of a run. */
  run: string;
  /** What shows a run before it is made. */
  preview: string;
  /** The command that replaces a resource. */
  replace: string;
  /** An argument, an output or a setting, by its name in the definitions. */
  name(name: string): string;
  /** Where a setting is given, other than by the environment. */
  place(setting: string): string;
  /** How to give it there; a secret on a command line would stay in the shell's history. */
  give(setting: string, secret: boolean): string;
  /** The code that gives an argument a value, both as the program writes them. */
  argument(name: string, value: string): string;
  /** The code of a resource that adopts a job. */
  adoption(domain: string, jobId: string): string;
  /** What has a replacement delete what it replaces before the new one is made. */
  deleteFirst: string;
  /** The folder that the engine keeps on this machine for this user. */
  home(environment: NodeJS.ProcessEnv): string;
}

const pulumi: Words = {
  run: "pulumi up",
  preview: "preview",
  replace: "pulumi up --replace <urn>",
  name: (name) => name,
  place: (setting) => `docs-platform:${setting}`,
  give: (setting, secret) =>
    secret
      ? `run \`pulumi config set --secret docs-platform:${setting}\`, which asks for it`
      : `run \`pulumi config set docs-platform:${setting} <value>\``,
  argument: (name, value) => `${name}: ${value}`,
  adoption: (domain, jobId) => `new StaticExport("…", { domain: ${domain}, jobId: ${jobId} })`,
  deleteFirst: "deleteBeforeReplace",
  home: pulumiHome,
};

/** Those of the host of this process; Pulumi's unless told. */
export let words: Words = pulumi;

export function setWords(hostWords: Words): void {
  words = hostWords;
}

/** The folder that the Pulumi CLI keeps on this machine for this user. */
export function pulumiHome({ PULUMI_HOME: home }: NodeJS.ProcessEnv): string {
  return home?.trim() || join(homedir(), ".pulumi");
}

/** `expectedSha256` as Terraform and Python write it; `StaticExport` begins with a low line. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The way back. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
