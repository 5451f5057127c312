import { unknown } from "../../definitions/values";
import { type MaybeUnknown, readOnce, type SettingsReader, settingsReader } from "../../engine/settingsReader";
import { holdsUnknown } from "../../resources/compare";
import { allSettings, journal, projectId, type Setting } from "../../settings/settingTable";
import { type Lookup, readAlone, settingProblem } from "../../settings/sources";
import { ConfigurationError } from "../../support/errors";
import { camelCase, words } from "../../support/words";
import { failureDiagnostics } from "./diagnostics";
import { journalScope } from "./journalScope";
import { providerSchema } from "./schema";
import { type Block, plainValues } from "./values";
import type { Diagnostic } from "./wire/messages";

const { attributes } = providerSchema.provider;

/** The settings, with the one of this host alone. */
export interface TerraformSettings extends SettingsReader {
  journalScope(): MaybeUnknown;
  /** False while a plan does not know yet what this setting is. */
  isKnown(setting: Setting<unknown>): boolean;
}

/** What is wrong with the block of the provider; what is missing, the resources tell that need it. */
export function configFailures(config: Block): Diagnostic[] {
  const values = plainValues(attributes, config);
  const failures = allSettings.flatMap((setting) => {
    const value = values[setting.name];
    const reason = value === undefined || holdsUnknown(value) ? undefined : settingProblem(setting, settingText(value));
    return reason === undefined ? [] : [{ property: setting.name, reason }];
  });
  return failureDiagnostics(failures, attributes);
}

/** A setting as a text: an object as JSON, with the names of its properties as everywhere else. */
function settingText(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return isObject
    ? JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, item]) => [camelCase(name), item])))
    : String(value);
}

/**
 * The settings of this process: the block of the provider goes before the environment. A plan may not know yet what another
 * resource is going to tell the provider: that is taken from nowhere else, and what needs the platform is refused.
 */
export function settingsOf(config: Block, environment: NodeJS.ProcessEnv): TerraformSettings {
  const values = plainValues(attributes, config);
  const isKnown = ({ name }: Setting<unknown>) => !holdsUnknown(values[name]);
  const notKnown = [...allSettings, journalScope].filter((setting) => !isKnown(setting));
  const hidden = notKnown.map(({ variable }) => variable);
  const argument: Lookup = (name) => {
    const value = values[name];
    return value === undefined || holdsUnknown(value) ? undefined : settingText(value);
  };
  const others = Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.includes(name)));
  const sources = { argument, environment: others };
  const scope = readAlone(journalScope, sources);
  // Nothing of them changes while Terraform runs, and each resource of a plan asks.
  const source = readOnce(settingsReader(sources));
  const settings = { ...source, journalScope: () => scope, isKnown };
  if (notKnown.length === 0) {
    return settings;
  }
  const refuse = () => {
    throw new ConfigurationError(
      notKnown.map(({ name }) => `${words.place(name)} is not known yet`),
      "first apply the resource that provides this value (`terraform apply -target=<address>`).",
    );
  };
  const perhaps = (setting: Setting<unknown>, read: () => MaybeUnknown) => () => (isKnown(setting) ? read() : unknown);
  return {
    ...settings,
    problems: () => [],
    lacksKey: () => false,
    given: refuse,
    require: refuse,
    projectId: perhaps(projectId, settings.projectId),
    journalPlace: perhaps(journal, settings.journalPlace),
    journalScope: perhaps(journalScope, settings.journalScope),
  };
}
