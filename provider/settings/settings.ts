import { ConfigurationError } from "../support/errors";
import { words } from "../support/words";
import {
  type ApiKeySource,
  apiKeySettings,
  chooseKeySource,
  explainMissingApiKey,
  type KeyFromFileOrCommand,
  lacksApiKey,
  signingKeySettings,
} from "./apiKeySource";
import type { HeaderFields } from "./headerFields";
import { untrustedBaseUrlProblem } from "./machineSecrets";
import { keyMatchesCertificate } from "./pemFile";
import { findOperationNeedingProject, type RouteTemplates } from "./routeTemplates";
import type * as settingTable from "./settingTable";
import {
  allSettings,
  clientCertFile,
  clientKeyFile,
  howToSet,
  maxRetries,
  projectId,
  projectIdAdvice,
  type Setting,
  type SettingConsumer,
} from "./settingTable";
import {
  defaultSourceName,
  findEffectiveSettingSource,
  isParseProblem,
  readSetting,
  type SettingSources,
} from "./sources";

type Table = typeof settingTable;

type ParsedSettings = {
  [Name in keyof Table as Table[Name] extends Setting<unknown> ? Name : never]: Table[Name] extends Setting<infer T>
    ? T
    : never;
};

/** A key can come from a file or a command, but its value is always stored as `apiKey` or `signingKey`. */
type SettingValues = Omit<ParsedSettings, "apiKey" | `${"apiKey" | "signingKey"}${"File" | "Command"}`> & {
  apiKey: ApiKeySource | undefined;
  signingKey: KeyFromFileOrCommand | undefined;
  /** True if the client waits after every 429 that contains a time. False if the user has set `maxRetries`. */
  waitsOutLimits: boolean;
};

type RequestValues = "requestTimeout" | "maxRetries" | "waitsOutLimits" | "maxRequestsPerSecond" | "projectId";

/** Times are milliseconds. */
export interface PlatformSettings extends Pick<SettingValues, RequestValues> {
  baseUrl: string;
  /** The key is sent to no other origin. */
  origin: string;
  routes: RouteTemplates;
  tls: TlsSettings;
  headers: HeaderFields;
}

export interface Settings extends PlatformSettings {
  apiKey: ApiKeySource;
}

/** PEM files. The client certificate goes to the platform's origin only. */
export type TlsSettings = Pick<SettingValues, "caFile" | "clientCertFile" | "clientKeyFile">;

export interface JournalSettings {
  /** Undefined if the journal is in the default folder. */
  place: string | undefined;
  required: boolean;
}

function platformOf(values: SettingValues): PlatformSettings {
  const { baseUrl: url, caFile, clientCertFile, clientKeyFile, routes = {}, headers = [] } = values;
  const { requestTimeout, maxRetries, waitsOutLimits, maxRequestsPerSecond, projectId } = values;
  return {
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    origin: url.origin,
    ...{ requestTimeout, maxRetries, waitsOutLimits, maxRequestsPerSecond, projectId, routes, headers },
    tls: { caFile, clientCertFile, clientKeyFile },
  };
}

/** The kinds of operations. An operation needs valid settings in all its `parts`, and gets the result of `take`. */
const needs = {
  platform: { parts: ["platform"], take: platformOf },
  requests: {
    parts: ["key", "platform"],
    take: (values): Settings => ({ ...platformOf(values), apiKey: values.apiKey as ApiKeySource }),
  },
  signing: { parts: ["signing"], take: ({ signingKey }) => signingKey },
  journal: {
    parts: ["journal"],
    take: ({ journal, journalRequired }): JournalSettings => ({ place: journal, required: journalRequired }),
  },
} satisfies Record<string, { parts: readonly SettingConsumer[]; take(values: SettingValues): unknown }>;

type Need = keyof typeof needs;

interface Problem {
  part: SettingConsumer;
  text: string;
}

export class CheckedSettings {
  /** The known and valid settings. They can be used even if other settings are invalid. */
  readonly values: Partial<SettingValues>;
  readonly lacksKey: boolean;
  /** A warning: secrets of this machine go to an address that the machine's own settings do not allow. */
  readonly redirection: string | undefined;
  readonly #problems: readonly Problem[];

  constructor(private readonly sources: SettingSources) {
    const { values, problems } = readAll(sources);
    const redirected = untrustedBaseUrlProblem(sources);
    const refused: Problem[] = redirected?.isRefused ? [{ part: "platform", text: redirected.text }] : [];
    this.values = values;
    this.lacksKey = lacksApiKey(sources);
    this.redirection = redirected?.isRefused ? undefined : redirected?.text;
    this.#problems = [...problems, ...mismatches(values), ...refused];
  }

  get environment(): NodeJS.ProcessEnv {
    return this.sources.environment ?? {};
  }

  /** A missing key does not count as a problem. */
  get problems(): readonly string[] {
    return this.#problems.map(({ text }) => text);
  }

  isKnown(name: keyof ParsedSettings): boolean {
    return !this.sources.notKnown?.has(name);
  }

  has(name: Need): boolean {
    return this.#errorOf(name) === undefined;
  }

  /** @throws ConfigurationError that names every missing or invalid setting that the operation needs. */
  need<Name extends Need>(name: Name): ReturnType<(typeof needs)[Name]["take"]> {
    const error = this.#errorOf(name);
    if (error !== undefined) {
      throw error;
    }
    return needs[name].take(this.values as SettingValues) as ReturnType<(typeof needs)[Name]["take"]>;
  }

  #errorOf(name: Need): ConfigurationError | undefined {
    const isNeeded = ({ part }: { part: SettingConsumer }) =>
      (needs[name].parts as readonly SettingConsumer[]).includes(part);
    const notKnown = allSettings.filter((setting) => isNeeded(setting) && this.sources.notKnown?.has(setting.name));
    if (notKnown.length > 0) {
      return new ConfigurationError(
        notKnown.map((setting) => `${words.place(setting.name)} is not known yet`),
        `first apply the resource that provides this value (\`${words.target}\`).`,
      );
    }
    const noKey = isNeeded({ part: "key" }) && this.lacksKey ? [explainMissingApiKey(this.sources)] : [];
    const wrong = [...noKey, ...this.#problems.filter(isNeeded).map(({ text }) => text)];
    return wrong.length > 0 ? new ConfigurationError(wrong) : undefined;
  }
}

function readAll(sources: SettingSources): { values: Partial<SettingValues>; problems: readonly Problem[] } {
  const isKnown = ({ name }: Setting<unknown>) => !sources.notKnown?.has(name);
  const keyOf = (name: string, part: SettingConsumer, title: string, ways: readonly Setting<unknown>[]) =>
    ways.every(isKnown) ? [{ name, part, value: chooseKeySource(title, ways, sources) }] : [];
  const alone = allSettings.filter((setting) => isKnown(setting) && !/^(key|signing)$/.test(setting.part));
  const all = [
    ...keyOf("apiKey", "key", "API key", apiKeySettings),
    ...alone.map((setting) => ({ ...setting, value: readSetting(setting, sources) })),
    ...keyOf("signingKey", "signing", "signing key", signingKeySettings),
  ];
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const { name, part, value } of all) {
    if (isParseProblem(value)) {
      problems.push({ part, text: value.problem });
    } else {
      values[name] = value;
    }
  }
  const waitsOutLimits = findEffectiveSettingSource(maxRetries, sources)[0] === defaultSourceName;
  return { values: { ...values, waitsOutLimits }, problems };
}

/** Finds settings that contradict each other. An invalid or unknown setting contradicts nothing. */
function mismatches(values: Partial<SettingValues>): Problem[] {
  const texts = [
    ...("projectId" in values ? missingProject(values) : []),
    ...("clientCertFile" in values && "clientKeyFile" in values ? mismatchedClientKey(values) : []),
  ];
  return texts.map((text) => ({ part: "platform", text }));
}

function missingProject({ routes = {}, projectId: project }: Partial<SettingValues>): string[] {
  const needy = project === undefined ? findOperationNeedingProject(routes) : undefined;
  const missing = `but the setting ${words.name(projectId.name)} is missing: ${projectIdAdvice()}`;
  return needy === undefined
    ? []
    : [`the setting routes has {projectId} in the path of ${words.name(needy)}, ${missing}`];
}

function mismatchedClientKey({ clientCertFile: certificate, clientKeyFile: key }: Partial<SettingValues>): string[] {
  const [certificateName, keyName] = [words.name(clientCertFile.name), words.name(clientKeyFile.name)];
  if (certificate === undefined || key === undefined) {
    const [has, lacks] = certificate === undefined ? [keyName, clientCertFile] : [certificateName, clientKeyFile];
    return certificate === key
      ? []
      : [`the setting ${has} is given without ${words.name(lacks.name)}: ${howToSet(lacks)}`];
  }
  const mismatch = `but its key does not belong to the certificate in ${certificateName}: ${howToSet(clientKeyFile)}`;
  return keyMatchesCertificate(key, certificate) ? [] : [`the setting ${keyName} names the file ${key}, ${mismatch}`];
}
