import { journalProblem } from "../journal/openJournal";
import { proxyProblem } from "../network/proxy";
import type { unknown } from "../resources/lifecycle";
import {
  type GivenSettings,
  lacksKey,
  type Problem,
  readCaFile,
  readJournalPlace,
  readProjectId,
  readSettings,
  redirectedCredentials,
  requireSettings,
  type Settings,
  type StackConfig,
} from "../settings/settings";
import { ConfigurationError } from "../support/errors";

/** A setting, or that it is not known yet what it will be; undefined where it is not given. */
export type Perhaps = string | typeof unknown | undefined;

/** Where the settings of an operation come from. They are read anew each time, since the environment may change. */
export interface SettingsSource {
  read(): GivenSettings | Problem[];
  /** What is wrong with the settings, as far as it shows without a request: a preview tells it. A missing key is no such problem. */
  problems(): readonly Problem[];
  /** See {@link redirectedCredentials}. */
  redirectedCredentials(): string | undefined;
  /** True where no key is given, in none of the ways. */
  lacksKey(): boolean;
  /** The settings, for what sends nothing: perhaps without a key. @throws ConfigurationError */
  given(): GivenSettings;
  /** @throws ConfigurationError also where the key is missing. */
  require(): Settings;
  projectId(): Perhaps;
  journalPlace(): Perhaps;
  caFile(): string | undefined;
}

/** @param argument what the program gave to a provider of its own. */
export function settingsSource(
  config: StackConfig,
  environment: NodeJS.ProcessEnv,
  argument?: StackConfig,
): SettingsSource {
  const read = () => readSettings(config, environment, argument);
  return {
    read,
    problems: () => problemsOf(read(), environment),
    redirectedCredentials: () => redirectedCredentials(config, environment, argument),
    lacksKey: () => lacksKey(config, environment, argument),
    given: () => usable(read()),
    require: () => requireSettings(config, environment, argument),
    projectId: () => readProjectId(config, environment, argument),
    journalPlace: () => readJournalPlace(config, environment, argument),
    caFile: () => readCaFile(config, environment, argument),
  };
}

/** The same, each of it read at most once: for a process in which nothing of it changes. */
export function readOnce(source: SettingsSource): SettingsSource {
  const { problems, given, require } = source;
  return { ...source, problems: once(problems), given: once(given), require: once(require) };
}

/** What throws is called again. */
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
