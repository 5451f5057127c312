import { CheckedSettings, type JournalSettings, type Settings } from "../../provider/settings/settings";
import type { SettingLookup } from "../../provider/settings/sources";

export const goodEnvironment = {
  DOCS_PLATFORM_API_KEY: "svc_key",
  DOCS_PLATFORM_BASE_URL: "https://api.example.com/admin/",
};

export const lookupOf =
  (values: Record<string, string> = {}): SettingLookup =>
  (name) =>
    values[name];

export function given(environment: Record<string, string>, config: Record<string, string> = {}): CheckedSettings {
  return new CheckedSettings({ environment: { ...goodEnvironment, ...environment }, config: lookupOf(config) });
}

export function settingsFrom(
  environment: Record<string, string>,
  config: Record<string, string> = {},
): Settings & { journal: JournalSettings } {
  const settings = given(environment, config);
  return { ...settings.need("requests"), journal: settings.need("journal") };
}

export function problemsOf(environment: Record<string, string>, config: Record<string, string> = {}): string[] {
  return [...given(environment, config).problems];
}
