import { parseDuration } from "./duration";
import { ConfigurationError } from "./errors";
import { type HostPattern, parseHostPattern } from "./hostPattern";
import { identifierProblem } from "./identifier";

/** How the provider reaches the platform. Times are milliseconds. */
export interface Settings {
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Scheme, host and port of the base URL: the only place that the key is sent to. */
  origin: string;
  requestTimeout: number;
  maxRetries: number;
  maxRequestsPerSecond: number | undefined;
  /** Needed by agent operations only. */
  projectId: string | undefined;
  /** Path of the get-job operation below the base URL, with `{projectId}` and `{id}`; the API text does not show it. */
  agentJobPath: string;
  /** The only hosts that links may lead to; undefined for every host. */
  linkHosts: readonly HostPattern[] | undefined;
  journal: JournalSettings;
}

/** Where it is recorded what was started. */
export interface JournalSettings {
  /** A folder, or `s3://bucket/prefix?region=…&endpoint=…`; undefined for the folder in the Pulumi home. */
  place: string | undefined;
  /** Whether nothing is started where it cannot be recorded. */
  required: boolean;
  /** The codes of starts whose answer was lost, and of which the user knows that they started nothing. */
  notStarted: readonly string[];
}

/** Looks a setting up in the stack's configuration, by its full name such as `docs-platform:apiKey`. */
export type StackConfig = (key: string) => string | undefined;

const noArgument: StackConfig = () => undefined;

/** A setting that is missing or malformed; the text names the setting and both ways to give it, and never shows a key. */
export type Problem = string;

/** One setting, as texts: the way in which the environment and the stack's configuration hold it. */
export interface Setting<T> {
  name: string;
  /** Of the environment. */
  variable: string;
  /** An older name of the variable, which goes on working. */
  olderVariable?: string;
  /** In effect where none is given; without one the setting is required, unless it is optional. */
  fallback?: string;
  optional?: true;
  /** Stored encrypted, and never shown. */
  secret?: true;
  /** Where a program may give it as a number, too. */
  number?: "integer" | "number";
  parse(text: string): T | { problem: string };
}

/** The admin API key of the platform. It begins with `svc_`. Required. */
const apiKey: Setting<string> = {
  name: "apiKey",
  variable: "DOCS_PLATFORM_API_KEY",
  secret: true,
  parse: (text) =>
    // The characters of a bearer token (RFC 6750): whatever is taken here is also what is taken out of every message.
    /^svc_[\w.~+/=-]+$/.test(text)
      ? text
      : { problem: "is not an admin API key: it must begin with svc_, and letters, digits and -._~+/= follow" },
};

/** Where the platform is, without an API version: https, or http to a loopback address. Required. */
const baseUrl: Setting<URL> = {
  name: "baseUrl",
  variable: "DOCS_PLATFORM_BASE_URL",
  parse: (text) => {
    if (!URL.canParse(text)) {
      return { problem: "is not a URL such as https://api.example.com" };
    }
    const url = new URL(text);
    if (url.username || url.password) {
      return { problem: "must hold no user name and no password" };
    }
    if (url.search || url.hash) {
      return { problem: "must hold no query and no fragment" };
    }
    const [versioned, beforeVersion] = /^(.*)\/v[12]\/*$/.exec(url.pathname) ?? [];
    if (versioned !== undefined) {
      return {
        problem: `must not end in the API's version, which each request adds: ${url.origin}${beforeVersion} is meant`,
      };
    }
    if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
      return url;
    }
    return {
      problem: "must be https (plain http is for a loopback address only, since the key would travel in clear)",
    };
  },
};

/** The limit of one request, as a Go duration of at most `"10m"`. */
const requestTimeout: Setting<number> = {
  name: "requestTimeout",
  variable: "DOCS_PLATFORM_REQUEST_TIMEOUT",
  fallback: "30s",
  parse: (text) => {
    const duration = parseDuration(text);
    return duration !== undefined && duration >= 1 && duration <= 600_000
      ? duration
      : { problem: 'must be a duration such as "30s", of at most "10m"' };
  },
};

/** How often one request is repeated after a failure that may pass: from 0 to 20. */
const maxRetries: Setting<number> = {
  name: "maxRetries",
  variable: "DOCS_PLATFORM_MAX_RETRIES",
  fallback: "4",
  number: "integer",
  parse: (text) =>
    /^\d{1,2}$/.test(text) && Number(text) <= 20 ? Number(text) : { problem: "must be a whole number from 0 to 20" },
};

/** Requests a second, for all resources of the process together: above 0, at most 1000. Default: unlimited. */
const maxRequestsPerSecond: Setting<number | undefined> = {
  name: "maxRequestsPerSecond",
  variable: "DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND",
  optional: true,
  number: "number",
  parse: (text) => {
    const rate = Number(text);
    return rate > 0 && rate <= 1_000 ? rate : { problem: "must be a number above 0, and at most 1000" };
  },
};

/** Identifier of the project, which operations on agent jobs need. */
const projectId: Setting<string | undefined> = {
  name: "projectId",
  variable: "DOCS_PLATFORM_PROJECT_ID",
  optional: true,
  parse: (text) => {
    const problem = identifierProblem(text);
    return problem === undefined ? text : { problem };
  },
};

/**
 * Path of the operation that looks an agent job up, below the base URL, with `{projectId}` and `{id}`. The API text does not
 * show it, so that it can be set.
 */
const agentJobPath: Setting<string> = {
  name: "agentJobPath",
  variable: "DOCS_PLATFORM_AGENT_JOB_PATH",
  fallback: "/v2/agent/{projectId}/job/{id}",
  parse: (text) => {
    const filled = text.replaceAll("{projectId}", "x").replaceAll("{id}", "x");
    // The characters of a path (RFC 3986), and no step in it.
    return /^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]+$/.test(filled) && !/\/\.{1,2}(\/|$)/.test(filled) && text.includes("{id}")
      ? text
      : { problem: "must be a path that begins with / and holds {id}, and {projectId} where it is needed" };
  },
};

/**
 * The only hosts that links to bundles, and redirects of them, may lead to: names or addresses with commas between;
 * `*.example.com` stands for every name below `example.com`. Default: every host.
 */
const linkHosts: Setting<readonly HostPattern[] | undefined> = {
  name: "linkHosts",
  variable: "DOCS_PLATFORM_LINK_HOSTS",
  optional: true,
  parse: (text) => {
    const hosts = text.split(",").map((host) => parseHostPattern(host.trim()));
    return hosts.every((host) => host !== undefined)
      ? hosts
      : { problem: "must be host names with commas between, such as files.example.com or *.example.com" };
  },
};

/**
 * Where it is recorded what was started and is not yet in the state: a folder, or
 * `s3://bucket/prefix?region=…&endpoint=…`, which machines can share. Default: `docs-platform/` in the Pulumi home.
 */
const journal: Setting<string | undefined> = {
  name: "journal",
  variable: "DOCS_PLATFORM_JOURNAL",
  olderVariable: "DOCS_PLATFORM_JOURNAL_DIR",
  optional: true,
  parse: (text) => text,
};

/** `true` makes a journal that cannot be written an error, before anything is sent; with `false` it is a warning. */
const journalRequired: Setting<boolean> = {
  name: "journalRequired",
  variable: "DOCS_PLATFORM_JOURNAL_REQUIRED",
  fallback: "false",
  parse: (text) => (/^(true|false)$/.test(text) ? text === "true" : { problem: "must be true or false" }),
};

/**
 * Codes of starts whose answer was lost, as the error `DOCS_AMBIGUOUS_START` tells them, separated by commas: of each of
 * them you have seen on the platform that it started nothing. Such a start is then sent again.
 */
const notStarted: Setting<readonly string[] | undefined> = {
  name: "notStarted",
  variable: "DOCS_PLATFORM_NOT_STARTED",
  optional: true,
  parse: (text) =>
    /^[0-9a-f]{12}(\s*,\s*[0-9a-f]{12})*$/.test(text)
      ? text.split(",").map((code) => code.trim())
      : { problem: "must be the code of 12 digits and letters that the error has told, or several with commas" },
};

/** Every setting, in the order in which a document tells them. */
export const allSettings: readonly Setting<unknown>[] = [
  apiKey,
  baseUrl,
  projectId,
  requestTimeout,
  maxRetries,
  maxRequestsPerSecond,
  agentJobPath,
  linkHosts,
  journal,
  journalRequired,
  notStarted,
];

/** How to give the project id, for an agent operation that misses it. */
export const projectIdAdvice = howToGive(projectId);

/**
 * Reads every setting: the environment goes before the stack's configuration, since `refresh` and `destroy` are given
 * the configuration of the last `up`, and a key rotated since then must win. A blank value counts as unset.
 * @param argument what the program gave to a provider of its own, which goes before both; by full names, too.
 */
export function readSettings(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): Settings | Problem[] {
  const problems: Problem[] = [];
  const read = <T>(setting: Setting<T>): T | undefined => {
    const result = readSetting(setting, config, environment, argument);
    if ("problem" in result) {
      problems.push(result.problem);
      return undefined;
    }
    return result.value;
  };
  const key = read(apiKey);
  const url = read(baseUrl);
  const timeout = read(requestTimeout);
  const retries = read(maxRetries);
  const rate = read(maxRequestsPerSecond);
  const project = read(projectId);
  const path = read(agentJobPath);
  const hosts = read(linkHosts);
  const journalSettings = {
    place: read(journal),
    required: read(journalRequired) ?? false,
    notStarted: read(notStarted) ?? [],
  };
  if (!key || !url || timeout === undefined || retries === undefined || !path || problems.length > 0) {
    return problems;
  }
  return {
    apiKey: key,
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    origin: url.origin,
    requestTimeout: timeout,
    maxRetries: retries,
    maxRequestsPerSecond: rate,
    projectId: project,
    agentJobPath: path,
    linkHosts: hosts,
    journal: journalSettings,
  };
}

/**
 * Says so where the environment's key goes to a base URL that the project gives, and with it everybody who may change a file
 * of it. The other way round nothing is wrong: the environment is this machine's, and the project's key may go where it says.
 */
export function redirectedKey(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): string | undefined {
  const [keyFrom] = given(apiKey, config, environment, argument);
  const [urlFrom, url = ""] = given(baseUrl, config, environment, argument);
  if (keyFrom !== apiKey.variable || urlFrom === baseUrl.variable || !URL.canParse(url)) {
    return undefined;
  }
  return `the key of ${keyFrom} goes to ${new URL(url).origin}, which ${urlFrom} names: whoever may change that, as by a pull request, can have the key sent elsewhere. Set ${baseUrl.variable} beside the key, or give the key where the base URL is given.`;
}

/** The project id alone, also where another setting is missing or malformed. */
export function readProjectId(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): string | undefined {
  return readAlone(projectId, config, environment, argument);
}

/** The journal's place alone: what needs no setting looks there, too. */
export function readJournalPlace(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): string | undefined {
  return readAlone(journal, config, environment, argument);
}

function readAlone<T>(
  setting: Setting<T>,
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig,
): T | undefined {
  const result = readSetting(setting, config, environment, argument);
  return "problem" in result ? undefined : result.value;
}

/** @throws ConfigurationError naming every setting that is missing or malformed. */
export function requireSettings(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): Settings {
  const settings = readSettings(config, environment, argument);
  if (Array.isArray(settings)) {
    throw new ConfigurationError(settings);
  }
  return settings;
}

function readSetting<T>(
  setting: Setting<T>,
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig,
): { value: T } | { problem: Problem } {
  const [source, text] = given(setting, config, environment, argument);
  if (!text) {
    return setting.optional
      ? { value: undefined as T }
      : { problem: `the setting ${setting.name} is missing: ${howToGive(setting)}` };
  }
  const value = setting.parse(text);
  if (typeof value === "object" && value !== null && "problem" in value) {
    return { problem: `the setting ${setting.name}, read from ${source}, ${value.problem}: ${howToGive(setting)}` };
  }
  return { value };
}

/** The first that gives a setting, and what it gives. */
function given(
  { name, variable, olderVariable = "", fallback }: Setting<unknown>,
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig,
): [source: string, text: string] | [undefined, undefined] {
  const key = `docs-platform:${name}`;
  const sources: [string, string | undefined][] = [
    [`the provider's argument ${name}`, argument(key)?.trim()],
    [variable, environment[variable]?.trim()],
    [olderVariable, environment[olderVariable]?.trim()],
    [key, config(key)?.trim()],
    ["the default", fallback],
  ];
  return (sources.find(([, text]) => text) as [string, string] | undefined) ?? [undefined, undefined];
}

function howToGive(setting: Setting<unknown>): string {
  // On a command line, a secret would stay in the shell's history.
  const command = setting.secret
    ? `\`pulumi config set --secret docs-platform:${setting.name}\`, which asks for it`
    : `\`pulumi config set docs-platform:${setting.name} <value>\``;
  return `set ${setting.variable} in the environment, or run ${command}`;
}

/** True for a host name that can only lead to this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
