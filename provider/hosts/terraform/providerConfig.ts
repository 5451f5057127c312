import { isPlainObject } from "../../definitions/guards";
import { containsUnknown, type RawValues } from "../../definitions/values";
import { checkProviderArguments } from "../../settings/checkProviderArguments";
import { CheckedSettings } from "../../settings/settings";
import { settingsAcceptedFrom } from "../../settings/settingTable";
import { createSettingLookup } from "../../settings/sources";
import { mapValues, pickProperties, renameKeys } from "../../support/objects";
import { camelCase } from "../../support/words";
import { failureDiagnostics } from "./diagnostics";
import { providerSchema } from "./schema";
import { type BlockValues, fromTerraformBlock } from "./values";
import type { Diagnostic } from "./wire/messages";

const { attributes } = providerSchema.provider;

/** A missing setting is no failure here. The resources that need the setting report it. */
export function configFailures(config: BlockValues): Diagnostic[] {
  const given = knownIn(fromTerraformBlock(attributes, config));
  return failureDiagnostics(checkProviderArguments(given, settingsAcceptedFrom("argument")), attributes);
}

/** The members of objects are renamed to their names in the definitions. */
function knownIn(values: RawValues): RawValues {
  const known = pickProperties(values, (_, value) => !containsUnknown(value));
  return mapValues(known, (_, value) => (isPlainObject(value) ? renameKeys(value, camelCase) : value));
}

/** The provider block takes precedence over the environment. */
export function terraformSettingsOf(config: BlockValues, environment: NodeJS.ProcessEnv): CheckedSettings {
  const values = fromTerraformBlock(attributes, config);
  const notKnown = new Set(Object.keys(values).filter((name) => containsUnknown(values[name])));
  return new CheckedSettings({ argument: createSettingLookup(knownIn(values)), environment, notKnown });
}
