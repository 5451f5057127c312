import { isFields } from "../../definitions/guards";
import { type RawValues, unknown } from "../../definitions/values";
import { type MaybeUnknown, readOnce, type SettingsReader, settingsReader } from "../../engine/settingsReader";
import { holdsUnknown } from "../../resources/compare";
import { allSettings, caFile, journal, projectId, type Setting } from "../../settings/settingTable";
import { lookUpIn, readAlone, settingProblem } from "../../settings/sources";
import { ConfigurationError } from "../../support/errors";
import { camelCase, words } from "../../support/words";
import { failureDiagnostics } from "./diagnostics";
import { journalScope } from "./journalScope";
import { providerSchema } from "./schema";
import { type Block, plainValues } from "./values";
import type { Diagnostic } from "./wire/messages";

const { attributes } = providerSchema.provider;

export interface TerraformSettings extends SettingsReader {
  journalScope(): MaybeUnknown;
  isKnown(setting: Setting<unknown>): boolean;
}

/** Returns the problems of the provider block. A missing setting is reported by the resources that need it. */
export function configFailures(config: Block): Diagnostic[] {
  const argument = lookUpIn(knownIn(plainValues(attributes, config)));
  const failures = allSettings.flatMap((setting) => {
    const reason = settingProblem(setting, argument(setting.name));
    return reason === undefined ? [] : [{ property: setting.name, reason }];
  });
  return failureDiagnostics(failures, attributes);
}

/** Returns the settings that are known. The members of an object get the names that they have in the definitions. */
function knownIn(values: RawValues): RawValues {
  const known = Object.entries(values).filter(([, value]) => !holdsUnknown(value));
  const camelCased = (value: object) => Object.entries(value).map(([name, item]) => [camelCase(name), item]);
  return Object.fromEntries(
    known.map(([name, value]) => [name, isFields(value) ? Object.fromEntries(camelCased(value)) : value]),
  );
}

/**
 * The provider block takes precedence over the environment. A setting that a plan does not know yet is replaced by no other
 * source, and work that needs the platform is refused.
 */
export function terraformSettingsOf(config: Block, environment: NodeJS.ProcessEnv): TerraformSettings {
  const values = plainValues(attributes, config);
  const isKnown = ({ name }: Setting<unknown>) => !holdsUnknown(values[name]);
  const notKnown = [...allSettings, journalScope].filter((setting) => !isKnown(setting));
  const sources = { argument: lookUpIn(knownIn(values)), environment };
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
    caFile: () => (isKnown(caFile) ? settings.caFile() : undefined),
    projectId: perhaps(projectId, settings.projectId),
    journalPlace: perhaps(journal, settings.journalPlace),
    journalScope: perhaps(journalScope, settings.journalScope),
  };
}
