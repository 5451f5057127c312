import { isPlainObject } from "../../definitions/guards";
import { containsUnknown, type RawValues } from "../../definitions/values";
import { providerArgumentFailures } from "../../settings/providerArgumentFailures";
import { GivenSettings } from "../../settings/settings";
import { settingsGivenBy } from "../../settings/settingTable";
import { createSettingLookup } from "../../settings/sources";
import { mapValues, pickProperties, renamed } from "../../support/objects";
import { camelCase } from "../../support/words";
import { failureDiagnostics } from "./diagnostics";
import { providerSchema } from "./schema";
import { type Block, fromTerraformBlock } from "./values";
import type { Diagnostic } from "./wire/messages";

const { attributes } = providerSchema.provider;

/** A missing setting is no failure here. The resources that need the setting report it. */
export function configFailures(config: Block): Diagnostic[] {
  const given = knownIn(fromTerraformBlock(attributes, config));
  return failureDiagnostics(providerArgumentFailures(given, settingsGivenBy("argument")), attributes);
}

/** The members of objects are renamed to their names in the definitions. */
function knownIn(values: RawValues): RawValues {
  const known = pickProperties(values, (_, value) => !containsUnknown(value));
  return mapValues(known, (_, value) => (isPlainObject(value) ? renamed(value, camelCase) : value));
}

/** The provider block takes precedence over the environment. */
export function terraformSettingsOf(config: Block, environment: NodeJS.ProcessEnv): GivenSettings {
  const values = fromTerraformBlock(attributes, config);
  const notKnown = new Set(Object.keys(values).filter((name) => containsUnknown(values[name])));
  return new GivenSettings({ argument: createSettingLookup(knownIn(values)), environment, notKnown });
}
