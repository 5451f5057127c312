import { ConfigurationError } from "./errors";
import type { HostPattern } from "./hostPattern";
import {
  agentJobPath,
  apiKey,
  baseUrl,
  howToGive,
  journal,
  journalRequired,
  linkHosts,
  maxRequestsPerSecond,
  maxRetries,
  notStarted,
  projectId,
  requestTimeout,
  type Setting,
} from "./settingTable";

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
