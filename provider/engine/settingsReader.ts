import type { unknown } from "../definitions/values";
import { journalProblem } from "../journal/openJournal";
import { proxyProblem } from "../network/proxy";
import { lacksKey } from "../settings/apiKeySource";
import { redirectedCredentials } from "../settings/redirectedCredentials";
import { type GivenSettings, readSettings, requireSettings, type Settings } from "../settings/settings";
import { caFile, journal, projectId } from "../settings/settingTable";
import { type Problem, readAlone, type Sources } from "../settings/sources";
import { ConfigurationError } from "../support/errors";

/** A setting: its text, `unknown` while a plan does not know it yet, or undefined where no source gives it. */
export type MaybeUnknown = string | typeof unknown | undefined;

/** Reads the settings of an operation. Each call reads anew, since the environment may change. */
export interface SettingsReader {
  /** All settings, or all that is wrong with them. */
  read(): GivenSettings | Problem[];
  /** All that a preview can tell without a request. A missing key is no problem. */
  problems(): readonly Problem[];
  /** See {@link redirectedCredentials}. */
  redirectedCredentials(): string | undefined;
  /** True where no source gives a key. */
  lacksKey(): boolean;
  /** The settings of what sends nothing: a key may be missing. @throws ConfigurationError */
  given(): GivenSettings;
  /** @throws ConfigurationError, also if the key is missing. */
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
    redirectedCredentials: () => redirectedCredentials(sources),
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
  return {
    read: once(source.read),
    problems: once(source.problems),
    redirectedCredentials: once(source.redirectedCredentials),
    lacksKey: once(source.lacksKey),
    given: once(source.given),
    require: once(source.require),
    projectId: once(source.projectId),
    journalPlace: once(source.journalPlace),
    caFile: once(source.caFile),
  };
}

/** A call that throws is made again. */
function once<T>(read: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

function usable(read: GivenSettings | Problem[]): GivenSettings {
  if (Array.isArray(read)) {
    throw new ConfigurationError(read.map(({ reason }) => reason));
  }
  return read;
}

function problemsOf(read: GivenSettings | Problem[], environment: NodeJS.ProcessEnv): readonly Problem[] {
  if (Array.isArray(read)) {
    return read;
  }
  const reasons = [
    { setting: "journal", reason: journalProblem(read.journal) },
    { setting: "proxy", reason: proxyProblem(new URL(read.baseUrl), environment) },
  ];
  return reasons.flatMap(({ setting, reason }) => (reason === undefined ? [] : [{ setting, reason }]));
}
