import { type GivenSettings, readSettings } from "../../provider/settings/settings";
import type { Lookup } from "../../provider/settings/sources";

/** The settings that must be given. */
export const goodEnvironment = {
  DOCS_PLATFORM_API_KEY: "svc_key",
  DOCS_PLATFORM_BASE_URL: "https://api.example.com/admin/",
};

export const lookupOf =
  (values: Record<string, string> = {}): Lookup =>
  (name) =>
    values[name];

export function settingsFrom(environment: Record<string, string>, config: Record<string, string> = {}): GivenSettings {
  const settings = readSettings({ environment: { ...goodEnvironment, ...environment }, config: lookupOf(config) });
  if (Array.isArray(settings)) {
    throw new Error(settings.join("; "));
  }
  return settings;
}

export function problemsOf(environment: Record<string, string>, config: Record<string, string> = {}): string[] {
  const settings = readSettings({ environment: { ...goodEnvironment, ...environment }, config: lookupOf(config) });
  return Array.isArray(settings) ? settings : [];
}
