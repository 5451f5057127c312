import { type SettingsSource, settingsSource } from "../../engine/settingsSource";
import { keySettings } from "../../settings/apiKeySource";
import type { StackConfig } from "../../settings/settings";
import { allSettings } from "../../settings/settingTable";
import { settingProblem } from "../../settings/sources";

/** What a provider's inputs hold beside the settings. */
const enginesOwn = ["version", "pluginDownloadURL", "__internal"];

/**
 * Where one provider of a program finds its settings.
 * @param given the inputs of the provider resource, as plain values.
 */
export function providerSettings(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
): SettingsSource {
  const own = lookUpIn(given);
  const current = lookUpIn(stackConfigOf(environment));
  // The engine fills a default provider's inputs from the stack's configuration, and in a refresh or a destroy from
  // that of the last `up`.
  const config: StackConfig = isDefault
    ? (key) => current(key) ?? (isOtherKey(key, current) ? undefined : own(key))
    : current;
  return settingsSource(config, environment, isDefault ? undefined : own);
}

/** A key of the last `up` is none any more where the stack's configuration gives one of now in another way. */
function isOtherKey(key: string, current: StackConfig): boolean {
  const keys = keySettings.map(({ name }) => `docs-platform:${name}`);
  return keys.includes(key) && keys.some((each) => current(each)?.trim());
}

/** What is wrong with the inputs of a provider resource; what is not known yet passes. */
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
      return [{ name, reason: `is not a setting of this provider; it has ${names}` }];
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
    return "must be a text or a number";
  }
  return settingProblem(setting, String(value));
}

function lookUpIn(values: Readonly<Record<string, unknown>>): StackConfig {
  return (key) => {
    const value = values[key.replace(/^docs-platform:/, "")];
    if (typeof value === "object" && value !== null) {
      return JSON.stringify(value);
    }
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
}

/** The stack's configuration as it is now, which the engine gives to a plugin in its environment. */
function stackConfigOf({ PULUMI_CONFIG: text }: NodeJS.ProcessEnv): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(text ?? "{}");
    return typeof values === "object" && values !== null ? { ...values } : {};
  } catch {
    return {};
  }
}
