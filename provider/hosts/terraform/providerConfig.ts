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

/** The settings, together with the one setting that only this host has. */
export interface TerraformSettings extends SettingsReader {
  journalScope(): MaybeUnknown;
  /** Returns false while a plan does not know this setting yet. */
  isKnown(setting: Setting<unknown>): boolean;
}

/** Returns the problems of the provider block. A missing setting is reported by the resources that need it. */
export function configFailures(config: Block): Diagnostic[] {
  const values = plainValues(attributes, config);
  const failures = allSettings.flatMap((setting) => {
    const value = values[setting.name];
    const reason = value === undefined || holdsUnknown(value) ? undefined : settingProblem(setting, settingText(value));
    return reason === undefined ? [] : [{ property: setting.name, reason }];
  });
  return failureDiagnostics(failures, attributes);
}

/** Returns a setting as a text. An object becomes JSON, with the names of its properties in camelCase. */
function settingText(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return isObject
    ? JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, item]) => [camelCase(name), item])))
    : String(value);
}

/**
 * Returns the settings of this process. The provider block takes precedence over the environment. A plan may not know
 * yet a setting that another resource provides: no other source replaces this setting, and work that needs the platform
 * is refused.
 */
export function terraformSettingsOf(config: Block, environment: NodeJS.ProcessEnv): TerraformSettings {
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
  // The settings do not change while Terraform runs, and each resource of a plan reads them.
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
