import { findGivenKeySettings } from "./apiKeySource";
import { apiKeyFile, baseUrl, clientCertFile, headers, type Setting, secretsOnlyTo } from "./settingTable";
import { findEffectiveSettingSource, readSetting, type SettingSources } from "./sources";

export function isOriginAllowedForSecrets(address: URL, environment: NodeJS.ProcessEnv): boolean {
  const allowed = readSetting(secretsOnlyTo, { environment });
  return Array.isArray(allowed) && allowed.includes(address.origin);
}

export function hintToAllowSecretsFor({ origin }: URL): string {
  return `add ${origin} to ${secretsOnlyTo.variable} in the environment`;
}

/**
 * Finds the secrets of this machine that would go to a base URL from the project or the state. Anyone who may change
 * such a base URL could get the secrets. If `isRefused` is false, the secrets are sent, and the user gets a warning.
 */
export function untrustedBaseUrlProblem(sources: SettingSources): { text: string; isRefused: boolean } | undefined {
  const environment = sources.environment ?? {};
  const [urlFrom, text = ""] = findEffectiveSettingSource(baseUrl, sources);
  if (urlFrom === undefined || urlFrom === baseUrl.variable || !URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  const ownUrl = environment[baseUrl.variable]?.trim() ?? "";
  const isOwn = URL.canParse(ownUrl) && new URL(ownUrl).origin === url.origin;
  const things = secretsOf(sources);
  if (things.length === 0 || isOwn || isOriginAllowedForSecrets(url, environment)) {
    return undefined;
  }
  const list = new Intl.ListFormat("en-GB").format(things);
  const isMany = things.length > 1 || list.startsWith("the headers");
  const [go, them] = isMany ? ["go", "them"] : ["goes", "it"];
  const isStrict = environment[secretsOnlyTo.variable]?.trim();
  if (isStrict || sources.stateCopy?.(baseUrl.name)?.trim()) {
    const why = isStrict
      ? `${secretsOnlyTo.variable} does not list it`
      : "whoever may write the state could name any address";
    return {
      text: `${list} would go to ${url.origin}, which ${urlFrom} sets: ${why}. To send ${them} there, ${hintToAllowSecretsFor(url)}`,
      isRefused: true,
    };
  }
  return {
    text: `${list} ${go} to ${url.origin}, which ${urlFrom} sets. Anyone who can change ${urlFrom}, for example by a pull request, can send ${them} to another server. Set ${baseUrl.variable} in the environment, or set ${them} in the same place as the base URL, or ${hintToAllowSecretsFor(url)}.`,
    isRefused: false,
  };
}

function secretsOf(sources: SettingSources): string[] {
  const fromMachine = (setting: Setting<unknown>) =>
    findEffectiveSettingSource(setting, sources)[0] === setting.variable;
  const [key] = findGivenKeySettings(sources);
  const isOfMachine = key?.source === "environment";
  return [
    ...(isOfMachine ? [`the key of ${key.name}`] : []),
    ...(!isOfMachine && key?.setting === apiKeyFile ? [`the file that ${key.name} names`] : []),
    ...(fromMachine(headers) ? [`the headers of ${headers.variable}`] : []),
    ...(fromMachine(clientCertFile) ? [`the client certificate of ${clientCertFile.variable}`] : []),
  ];
}
