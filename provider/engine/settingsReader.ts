import type { unknown } from "../definitions/values";
import { journalProblem } from "../journal/openJournal";
import { proxyProblem } from "../network/proxy";
import { lacksKey } from "../settings/apiKeySource";
import { redirectedSecrets } from "../settings/machineSecrets";
import { type GivenSettings, readSettings, requireSettings, type Settings } from "../settings/settings";
import { caFile, journal, projectId } from "../settings/settingTable";
import { readAlone, type Sources } from "../settings/sources";
import { ConfigurationError } from "../support/errors";

/** A setting: its text, `unknown` while a plan does not know it yet, or undefined where no source gives it. */
export type MaybeUnknown = string | typeof unknown | undefined;

/** Reads the settings of an operation. Each call reads anew, since the environment may change. */
export interface SettingsReader {
  read(): GivenSettings | string[];
  /** All that a preview can tell without a request. A missing key is no problem. */
  problems(): readonly string[];
  /** A warning of secrets of this machine that go to an address that the machine does not give. */
  redirection(): string | undefined;
  lacksKey(): boolean;
  /** The settings for work that sends nothing: the key may be missing. @throws ConfigurationError */
  given(): GivenSettings;
  require(): Settings;
  projectId(): MaybeUnknown;
  journalPlace(): MaybeUnknown;
  caFile(): string | undefined;
}

export function settingsReader(sources: Sources): SettingsReader {
  const read = () => readSettings(sources);
  return {
    read,
    problems: () => problemsOf(read(), sources.environment ?? {}),
    redirection: () => {
      const redirected = redirectedSecrets(sources);
      return redirected?.isRefused ? undefined : redirected?.text;
    },
    lacksKey: () => lacksKey(sources),
    given: () => usable(read()),
    require: () => requireSettings(sources),
    projectId: () => readAlone(projectId, sources),
    journalPlace: () => readAlone(journal, sources),
    caFile: () => readAlone(caFile, sources),
  };
}

/** A reader that reads each thing at most once: for a process in which no setting changes. */
export function readOnce(source: SettingsReader): SettingsReader {
  return Object.fromEntries(
    Object.entries(source).map(([name, read]: [string, () => unknown]) => [name, once(read)]),
  ) as unknown as SettingsReader;
}

/** A call that throws is made again. */
function once<T>(read: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

function usable(read: GivenSettings | string[]): GivenSettings {
  if (Array.isArray(read)) {
    throw new ConfigurationError(read);
  }
  return read;
}

function problemsOf(read: GivenSettings | string[], environment: NodeJS.ProcessEnv): readonly string[] {
  if (Array.isArray(read)) {
    return read;
  }
  return [journalProblem(read.journal) ?? [], proxyProblem(new URL(read.baseUrl), environment) ?? []].flat();
}
