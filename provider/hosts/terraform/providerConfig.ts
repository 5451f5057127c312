import { type SettingsSource, settingsSource } from "../../engine/settingsSource";
import { unknown } from "../../resources/lifecycle";
import { settingProblem } from "../../support/readSetting";
import type { StackConfig } from "../../support/settings";
import { allSettings } from "../../support/settingTable";
import { failureDiagnostics } from "./diagnostics";
import { providerSchema } from "./schema";
import { type Block, plainValues } from "./values";
import type { Diagnostic } from "./wire/messages";

const { attributes } = providerSchema.provider;

/** What is wrong with the block of the provider; what is missing, the resources tell that need it. */
export function configFailures(config: Block): Diagnostic[] {
  const values = plainValues(attributes, config);
  const failures = allSettings.flatMap((setting) => {
    const value = values[setting.name];
    const reason = value === undefined || value === unknown ? undefined : settingProblem(setting, String(value));
    return reason === undefined ? [] : [{ property: setting.name, reason }];
  });
  return failureDiagnostics(failures, attributes);
}

/** The settings of this process: the block of the provider goes before the environment. */
export function settingsOf(config: Block, environment = process.env): SettingsSource {
  const values = plainValues(attributes, config);
  const block: StackConfig = (key) => {
    const value = values[key.replace(/^docs-platform:/, "")];
    return value === undefined || value === unknown ? undefined : String(value);
  };
  const settings = settingsSource(() => undefined, environment, block);
  const isKnown = !Object.values(values).includes(unknown);
  // A plan may not know yet what another resource is going to tell the provider.
  return isKnown ? settings : { ...settings, problems: () => [], lacksKey: () => false };
}
