import { journalProblem } from "../journal/openJournal";
import { proxyProblem } from "../network/proxy";
import {
  type Problem,
  readCaFile,
  readJournalPlace,
  readProjectId,
  readSettings,
  redirectedKey,
  requireSettings,
  type Settings,
  type StackConfig,
} from "../support/settings";

/** Where the settings of an operation come from. They are read anew each time, since the environment may change. */
export interface SettingsSource {
  read(): Settings | Problem[];
  /** What is wrong with the settings, as far as it shows without a request: a preview tells it. */
  problems(): readonly Problem[];
  /** See {@link redirectedKey}. */
  redirectedKey(): string | undefined;
  /** @throws ConfigurationError */
  require(): Settings;
  projectId(): string | undefined;
  journalPlace(): string | undefined;
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
    redirectedKey: () => redirectedKey(config, environment, argument),
    require: () => requireSettings(config, environment, argument),
    projectId: () => readProjectId(config, environment, argument),
    journalPlace: () => readJournalPlace(config, environment, argument),
    caFile: () => readCaFile(config, environment, argument),
  };
}

function problemsOf(read: Settings | Problem[], environment: NodeJS.ProcessEnv): readonly Problem[] {
  if (Array.isArray(read)) {
    return read;
  }
  const reasons = [
    { setting: "journal", reason: journalProblem(read.journal) },
    { setting: "proxy", reason: proxyProblem(new URL(read.baseUrl), environment) },
  ];
  return reasons.flatMap(({ setting, reason }) => (reason === undefined ? [] : [{ setting, reason }]));
}
