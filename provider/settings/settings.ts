import { ConfigurationError } from "../support/errors";
import { words } from "../support/words";
import {
  type ApiKeySource,
  lacksKey,
  missingKey,
  type RereadSource,
  readApiKeySource,
  readSigningKeySource,
} from "./apiKeySource";
import type { HeaderFields } from "./headerFields";
import { redirectedSecrets } from "./machineSecrets";
import { isKeyOf } from "./pemFile";
import { needsProject, type RouteTemplates } from "./routeTemplates";
import {
  baseUrl,
  caFile,
  clientCertFile,
  clientKeyFile,
  headers,
  howToGive,
  journal,
  journalRequired,
  maxRequestsPerSecond,
  maxRetries,
  projectId,
  projectIdAdvice,
  requestTimeout,
  routes,
  type Setting,
} from "./settingTable";
import { firstSource, readSetting, type Sources } from "./sources";

/** The settings of the provider, read and checked. Times are milliseconds. */
export interface Settings {
  apiKey: ApiKeySource;
  signingKey: RereadSource | undefined;
  baseUrl: string;
  /** Scheme, host and port of the base URL. The key is sent to no other origin. */
  origin: string;
  requestTimeout: number;
  maxRetries: number;
  /** True if a 429 that names a time is waited out, however often it comes. False if the user has set `maxRetries`. */
  waitsOutLimits: boolean;
  maxRequestsPerSecond: number | undefined;
  projectId: string | undefined;
  routes: RouteTemplates;
  tls: TlsSettings;
  headers: HeaderFields;
  journal: JournalSettings;
}

/** The settings of what sends nothing: a key may be missing. */
export type GivenSettings = Omit<Settings, "apiKey"> & { apiKey: ApiKeySource | undefined };

/** The files (PEM) of trusted authorities, and of the client certificate, which goes to the platform's origin only. */
export interface TlsSettings {
  /** The authorities in addition to those that Node.js knows. They apply to every server. */
  caFile: string | undefined;
  clientCertFile: string | undefined;
  clientKeyFile: string | undefined;
}

export interface JournalSettings {
  /** Undefined for the default folder. */
  place: string | undefined;
  required: boolean;
}

export function readSettings(sources: Sources): GivenSettings | string[] {
  const problems: string[] = [];
  // A problem leaves undefined here, and is returned instead.
  const take = <T>(result: { value: T } | { problem: string }): T => {
    if ("problem" in result) {
      problems.push(result.problem);
      return undefined as T;
    }
    return result.value;
  };
  const read = <T>(setting: Setting<T>) => take(readSetting(setting, sources));
  const { fallback: _, ...withoutDefault } = maxRetries;
  const key = take(readApiKeySource(sources));
  const url: URL | undefined = read(baseUrl);
  const settings = {
    apiKey: key,
    signingKey: take(readSigningKeySource(sources)),
    baseUrl: `${url?.origin}${url?.pathname}`.replace(/\/+$/, ""),
    origin: url?.origin ?? "",
    requestTimeout: read(requestTimeout),
    maxRetries: read(maxRetries),
    waitsOutLimits: firstSource(withoutDefault, sources)[0] === undefined,
    maxRequestsPerSecond: read(maxRequestsPerSecond),
    projectId: read(projectId),
    routes: read(routes) ?? {},
    tls: { caFile: read(caFile), clientCertFile: read(clientCertFile), clientKeyFile: read(clientKeyFile) },
    headers: read(headers) ?? [],
    journal: { place: read(journal), required: read(journalRequired) },
  };
  problems.push(...missingProject(settings));
  const redirected = redirectedSecrets(sources);
  if (redirected?.isRefused) {
    problems.push(redirected.text);
  }
  if (problems.length === 0) {
    problems.push(...mismatchedClientKey(settings.tls));
  }
  return problems.length > 0 ? problems : settings;
}

function missingProject({ routes, projectId: project }: Pick<Settings, "routes" | "projectId">): string[] {
  const needy = project === undefined ? needsProject(routes) : undefined;
  const missing = `but the setting ${words.name(projectId.name)} is missing: ${projectIdAdvice()}`;
  return needy === undefined
    ? []
    : [`the setting routes has {projectId} in the path of ${words.name(needy)}, ${missing}`];
}

function mismatchedClientKey({ clientCertFile: certificate, clientKeyFile: key }: TlsSettings): string[] {
  const [certificateName, keyName] = [words.name(clientCertFile.name), words.name(clientKeyFile.name)];
  if (certificate === undefined || key === undefined) {
    const [has, lacks] = certificate === undefined ? [keyName, clientCertFile] : [certificateName, clientKeyFile];
    return certificate === key
      ? []
      : [`the setting ${has} is given without ${words.name(lacks.name)}: ${howToGive(lacks)}`];
  }
  const mismatch = `but its key does not belong to the certificate in ${certificateName}: ${howToGive(clientKeyFile)}`;
  return isKeyOf(key, certificate) ? [] : [`the setting ${keyName} names the file ${key}, ${mismatch}`];
}

/** @throws ConfigurationError that names every missing or malformed setting. */
export function requireSettings(sources: Sources): Settings {
  const missing = lacksKey(sources) ? [missingKey(sources)] : [];
  const settings = readSettings(sources);
  if (Array.isArray(settings) || settings.apiKey === undefined) {
    throw new ConfigurationError([...missing, ...(Array.isArray(settings) ? settings : [])]);
  }
  return { ...settings, apiKey: settings.apiKey };
}
