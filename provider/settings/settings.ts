import { ConfigurationError } from "../support/errors";
import type { HostPattern } from "../support/hostNames";
import { type ApiKeySource, keySettings, missingKey, readApiKeySource } from "./apiKeySource";
import type { HeaderFields } from "./headerFields";
import type { RouteTemplates } from "./routeTemplates";
import {
  apiKeyFile,
  baseUrl,
  caFile,
  clientCertFile,
  headers,
  journal,
  journalRequired,
  linkHosts,
  maxRequestsPerSecond,
  maxRetries,
  notStarted,
  projectId,
  requestTimeout,
  routes,
  type Setting,
} from "./settingTable";
import { firstSource, type Problem, readSetting, type Sources, type StackConfig } from "./sources";
import { readTlsSettings, type TlsSettings } from "./tlsSettings";

/** The settings of the provider, read and checked. Times are milliseconds. */
export interface Settings {
  apiKey: ApiKeySource;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Scheme, host and port of the base URL. The key is sent to no other origin. */
  origin: string;
  requestTimeout: number;
  maxRetries: number;
  /** Whether a 429 that names a time is waited out, however often it comes: unless the user has set `maxRetries`. */
  waitsOutLimits: boolean;
  maxRequestsPerSecond: number | undefined;
  /** Needed by agent operations only. */
  projectId: string | undefined;
  /** The paths that differ from those of the API text. */
  routes: RouteTemplates;
  /** The only hosts where links may lead; undefined for every host. */
  linkHosts: readonly HostPattern[] | undefined;
  tls: TlsSettings;
  /** More header fields, for the platform's origin only. */
  headers: HeaderFields;
  journal: JournalSettings;
}

/** Settings as they are given: without a key where there is none, since what sends nothing needs none. */
export type GivenSettings = Omit<Settings, "apiKey"> & { apiKey: ApiKeySource | undefined };

/** Where starts are recorded. */
export interface JournalSettings {
  /** A folder, or `s3://bucket/prefix?region=…&endpoint=…`; undefined for the folder in the Pulumi home. */
  place: string | undefined;
  /** True where a start that cannot be recorded is refused. */
  required: boolean;
  /** The codes of starts whose answer was lost and that created nothing, as the user says. */
  notStarted: readonly string[];
}

export type { Problem, StackConfig } from "./sources";

/**
 * Reads every setting; a missing key is no problem yet. The environment goes before the stack's configuration, since
 * `refresh` and `destroy` get the configuration of the last `up`, and a key that was rotated since then must win. A blank
 * value counts as unset.
 * @param argument reads the arguments of an explicit provider, by full names too. They go before both.
 */
export function readSettings(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): GivenSettings | Problem[] {
  const problems: Problem[] = [];
  const sources = { config, environment, argument };
  const take = <T>(result: { value: T } | { problem: Problem }): T | undefined => {
    if ("problem" in result) {
      problems.push(result.problem);
      return undefined;
    }
    return result.value;
  };
  const read = <T>(setting: Setting<T>) => take(readSetting(setting, sources));
  const key = take(readApiKeySource(sources));
  const url = read(baseUrl);
  const timeout = read(requestTimeout);
  const retries = read(maxRetries);
  const { fallback: _, ...withoutDefault } = maxRetries;
  const rate = read(maxRequestsPerSecond);
  const project = read(projectId);
  const templates = read(routes) ?? {};
  const hosts = read(linkHosts);
  const tls = readTlsSettings(sources);
  problems.push(...("problems" in tls ? tls.problems : []));
  const fields = read(headers) ?? [];
  const journalSettings = {
    place: read(journal),
    required: read(journalRequired) ?? false,
    notStarted: read(notStarted) ?? [],
  };
  if (!url || timeout === undefined || retries === undefined || "problems" in tls || problems.length > 0) {
    return problems;
  }
  return {
    apiKey: key,
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    origin: url.origin,
    requestTimeout: timeout,
    maxRetries: retries,
    waitsOutLimits: firstSource(withoutDefault, sources)[0] === undefined,
    maxRequestsPerSecond: rate,
    projectId: project,
    routes: templates,
    linkHosts: hosts,
    tls,
    headers: fields,
    journal: journalSettings,
  };
}

/**
 * A warning where what this machine has goes to a base URL that the project gives: everybody who may change a file of the
 * project could have it sent elsewhere. These are the key, the headers and the client certificate of the environment, and a
 * file that the project names as the key's. The reverse is safe: the project's key may go where this machine's environment says.
 */
export function redirectedCredentials(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): string | undefined {
  const sources = { config, environment, argument };
  const [urlFrom, url = ""] = firstSource(baseUrl, sources);
  if (urlFrom === baseUrl.variable || !URL.canParse(url)) {
    return undefined;
  }
  const fromMachine = (setting: Setting<unknown>) => firstSource(setting, sources)[0] === setting.variable;
  const things = [
    ...redirectedKey(sources),
    ...(fromMachine(headers) ? [`the headers of ${headers.variable}`] : []),
    ...(fromMachine(clientCertFile) ? [`the client certificate of ${clientCertFile.variable}`] : []),
  ];
  if (things.length === 0) {
    return undefined;
  }
  const list = [things.slice(0, -1).join(", "), things.at(-1)].filter((part) => part).join(" and ");
  const isMany = things.length > 1 || list.startsWith("the headers");
  return `${list} ${isMany ? "go" : "goes"} to ${new URL(url).origin}, which ${urlFrom} names: whoever may change that, as by a pull request, can have ${isMany ? "them" : "it"} sent elsewhere. Set ${baseUrl.variable} in the environment, or give ${isMany ? "them" : "it"} where the base URL is given.`;
}

/** The key of this machine, where it is the one that counts. */
function redirectedKey({ config, environment, argument }: Sources): string[] {
  const first = (level: Sources) => keySettings.find((setting) => firstSource(setting, level)[0] !== undefined);
  if (first({ argument })) {
    return [];
  }
  const ofEnvironment = first({ environment });
  if (ofEnvironment) {
    return [`the key of ${ofEnvironment.variable}`];
  }
  const ofProject = first({ config });
  return ofProject === apiKeyFile ? [`the file that ${firstSource(ofProject, { config })[0]} names`] : [];
}

/** Reads the project id alone, also where another setting is missing or malformed. */
export function readProjectId(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): string | undefined {
  return readAlone(projectId, config, environment, argument);
}

/** Reads the journal's place alone, for operations that need no other setting. */
export function readJournalPlace(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): string | undefined {
  return readAlone(journal, config, environment, argument);
}

/** The file of authorities alone: a mirror's bucket is reached by it also where nothing else is set. */
export function readCaFile(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): string | undefined {
  return readAlone(caFile, config, environment, argument);
}

function readAlone<T>(
  setting: Setting<T>,
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument: StackConfig | undefined,
): T | undefined {
  const result = readSetting(setting, { config, environment, argument });
  return "problem" in result ? undefined : result.value;
}

/** True where no key is given, in none of the ways. */
export function lacksKey(config: StackConfig, environment: NodeJS.ProcessEnv, argument?: StackConfig): boolean {
  return keySettings.every((setting) => firstSource(setting, { config, environment, argument })[0] === undefined);
}

/** @throws ConfigurationError naming every setting that is missing or malformed. */
export function requireSettings(config: StackConfig, environment: NodeJS.ProcessEnv, argument?: StackConfig): Settings {
  const missing = lacksKey(config, environment, argument) ? [missingKey()] : [];
  const settings = readSettings(config, environment, argument);
  const problems = Array.isArray(settings) ? settings.map(({ reason }) => reason) : [];
  if (Array.isArray(settings) || settings.apiKey === undefined) {
    throw new ConfigurationError([...missing, ...problems]);
  }
  return { ...settings, apiKey: settings.apiKey };
}
