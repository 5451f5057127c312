import { ConfigurationError } from "../support/errors";
import type { HostPattern } from "../support/hostNames";
import { type ApiKeySource, lacksKey, missingKey, readApiKeySource } from "./apiKeySource";
import type { HeaderFields } from "./headerFields";
import type { RouteTemplates } from "./routeTemplates";
import {
  baseUrl,
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
import { firstSource, type Problem, readSetting, type Sources } from "./sources";
import { readTlsSettings, type TlsSettings } from "./tlsSettings";

/** The settings of the provider, read and checked. Times are milliseconds. */
export interface Settings {
  apiKey: ApiKeySource;
  /** The base URL without a trailing slash. */
  baseUrl: string;
  /** Scheme, host and port of the base URL. The key is sent to no other origin. */
  origin: string;
  requestTimeout: number;
  maxRetries: number;
  /** True if a 429 that names a time is waited out, however often it comes. False if the user has set `maxRetries`. */
  waitsOutLimits: boolean;
  maxRequestsPerSecond: number | undefined;
  /** The project id. Only agent operations need it. */
  projectId: string | undefined;
  /** The paths of operations that differ from the API text. */
  routes: RouteTemplates;
  /** The only hosts to which links may lead; undefined for every host. */
  linkHosts: readonly HostPattern[] | undefined;
  tls: TlsSettings;
  /** More header fields, for the platform's origin only. */
  headers: HeaderFields;
  journal: JournalSettings;
}

/** The settings of what sends nothing: a key may be missing. */
export type GivenSettings = Omit<Settings, "apiKey"> & { apiKey: ApiKeySource | undefined };

/** The settings of the journal, which records starts. */
export interface JournalSettings {
  /**
   * The place of the journal: a folder, or `s3://bucket/prefix?region=…&endpoint=…`; undefined for the folder in the
   * Pulumi home.
   */
  place: string | undefined;
  /** True if a start that cannot be recorded is refused. */
  required: boolean;
  /** The codes of starts whose answer was lost and that, by the user's word, created nothing. */
  notStarted: readonly string[];
}

/** Reads every setting. A missing key is no problem yet. */
export function readSettings(sources: Sources): GivenSettings | Problem[] {
  const problems: Problem[] = [];
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

/** @throws ConfigurationError that names every missing or malformed setting. */
export function requireSettings(sources: Sources): Settings {
  const missing = lacksKey(sources) ? [missingKey()] : [];
  const settings = readSettings(sources);
  const problems = Array.isArray(settings) ? settings.map(({ reason }) => reason) : [];
  if (Array.isArray(settings) || settings.apiKey === undefined) {
    throw new ConfigurationError([...missing, ...problems]);
  }
  return { ...settings, apiKey: settings.apiKey };
}
