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

/** The settings of the provider, read and checked. Times are milliseconds. */
export interface Settings {
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Scheme, host and port of the base URL. The key is sent to no other origin. */
  origin: string;
  requestTimeout: number;
  maxRetries: number;
  maxRequestsPerSecond: number | undefined;
  /** Needed by agent operations only. */
  projectId: string | undefined;
  /** Path of the get-job operation below the base URL, with `{projectId}` and `{id}`; the API text does not show it. */
  agentJobPath: string;
  /** The only hosts where links may lead; undefined for every host. */
  linkHosts: readonly HostPattern[] | undefined;
  journal: JournalSettings;
}

/** Where starts are recorded. */
export interface JournalSettings {
  /** A folder, or `s3://bucket/prefix?region=…&endpoint=…`; undefined for the folder in the Pulumi home. */
  place: string | undefined;
  /** True where a start that cannot be recorded is refused. */
  required: boolean;
  /** The codes of starts whose answer was lost and that created nothing, as the user says. */
  notStarted: readonly string[];
}

/** Reads a setting from the stack's configuration, by its full name such as `docs-platform:apiKey`. */
export type StackConfig = (key: string) => string | undefined;

const noArgument: StackConfig = () => undefined;

/** A setting that is missing or malformed. */
export interface Problem {
  /** Its name. */
  setting: string;
  /** What is wrong, with both ways to give it; never shows a key. */
  reason: string;
}

/**
 * Reads every setting. The environment goes before the stack's configuration, since `refresh` and `destroy` get the
 * configuration of the last `up`, and a key that was rotated since then must win. A blank value counts as unset.
 * @param argument reads the arguments of an explicit provider, by full names too. They go before both.
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
      problems.push({ setting: setting.name, reason: result.problem });
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
 * A warning where the environment's key goes to a base URL that the project gives: everybody who may change a file of the
 * project could have the key sent elsewhere. The reverse is safe: the project's key may go where this machine's environment says.
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

/** Reads the project id alone, also where another setting is missing or malformed. */
export function readProjectId(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig = noArgument,
): string | undefined {
  return readAlone(projectId, config, environment, argument);
}

/** Reads the journal's place alone, for operations that need no other setting. */
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
    throw new ConfigurationError(settings.map(({ reason }) => reason));
  }
  return settings;
}

function readSetting<T>(
  setting: Setting<T>,
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig,
): { value: T } | { problem: string } {
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

/** The first source that gives a setting, and its value. */
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
