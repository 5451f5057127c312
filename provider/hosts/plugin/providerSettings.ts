import { type SettingsReader, settingsReader } from "../../engine/settingsReader";
import { keySettings } from "../../settings/apiKeySource";
import { allSettings } from "../../settings/settingTable";
import { type Lookup, settingProblem } from "../../settings/sources";

/** The inputs of a provider that are not settings. */
const enginesOwn = ["version", "pluginDownloadURL", "__internal"];

/**
 * Returns the source of a provider's settings.
 * @param given the inputs of the provider resource, as plain values.
 */
export function providerSettings(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
): SettingsReader {
  const own = lookUpIn(given);
  const current = lookUpIn(stackConfigOf(environment));
  if (!isDefault) {
    return settingsReader({ argument: own, environment, config: current });
  }
  // The engine fills the inputs of a default provider from the stack's configuration. In a refresh or a destroy, these
  // inputs come from the configuration of the last `up`.
  const config: Lookup = (name) => current(name) ?? (isOtherKey(name, current) ? undefined : own(name));
  return settingsReader({ environment, config });
}

/** True for a way to give the key, where the stack's configuration of now gives the key: that of the last `up` is old. */
function isOtherKey(name: string, current: Lookup): boolean {
  const keys = keySettings.map((setting) => setting.name);
  return keys.includes(name) && keys.some((each) => current(each)?.trim());
}

/** Returns the problems of a provider resource's inputs. A value that is not known yet passes. */
export function settingFailures(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
): { name: string; reason: string }[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (enginesOwn.includes(name) || value === null || value === undefined || typeof value === "symbol") {
      return [];
    }
    const setting = allSettings.find((known) => known.name === name);
    if (setting === undefined) {
      const names = allSettings.map((known) => known.name).join(", ");
      return [{ name, reason: `is not a setting of this provider, which has ${names}` }];
    }
    const isOverruled = isDefault && Boolean(environment[setting.variable]?.trim());
    const reason = isOverruled ? undefined : problemOf(setting, value);
    return reason === undefined ? [] : [{ name, reason }];
  });
}

function problemOf(setting: (typeof allSettings)[number], value: unknown): string | undefined {
  if (setting.texts && typeof value === "object") {
    return settingProblem(setting, JSON.stringify(value));
  }
  if (typeof value !== "string" && typeof value !== "number") {
    return "must be a string or a number";
  }
  return settingProblem(setting, String(value));
}

function lookUpIn(values: Readonly<Record<string, unknown>>): Lookup {
  return (name) => {
    const value = values[name];
    if (typeof value === "object" && value !== null) {
      return JSON.stringify(value);
    }
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
}

/** The stack's configuration of now, which the engine gives to a plugin in its environment: of this package, by bare names. */
function stackConfigOf({ PULUMI_CONFIG: text }: NodeJS.ProcessEnv): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(text ?? "{}");
    return typeof values === "object" && values !== null ? { ...values } : {};
  } catch {
    return {};
  }
}
