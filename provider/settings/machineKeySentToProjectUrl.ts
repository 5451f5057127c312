import { keyGiver } from "./apiKeySource";
import { apiKeyFile, baseUrl, clientCertFile, headers, type Setting } from "./settingTable";
import { firstSource, type Sources } from "./sources";

/**
 * Warns if credentials of this machine go to a base URL that the project gives: whoever may change a file of the project
 * could have them sent elsewhere. They are the key, the headers and the client certificate of the environment, and a key
 * file that the project names. The reverse is safe: the project's key may go where this machine's environment says.
 */
export function machineKeySentToProjectUrl(sources: Sources): string | undefined {
  const [urlFrom, url = ""] = firstSource(baseUrl, sources);
  if (urlFrom === baseUrl.variable || !URL.canParse(url)) {
    return undefined;
  }
  const fromMachine = (setting: Setting<unknown>) => firstSource(setting, sources)[0] === setting.variable;
  const things = [
    ...redirectedKey(sources),
    ...(fromMachine(headers) ? [`the headers of ${headers.variable}`] : []),
    ...(fromMachine(clientCertFile) ? [`the client certificate of ${clientCertFile.variable}`] : []),
  ];
  if (things.length === 0) {
    return undefined;
  }
  const list = [things.slice(0, -1).join(", "), things.at(-1)].filter((part) => part).join(" and ");
  const isMany = things.length > 1 || list.startsWith("the headers");
  return `${list} ${isMany ? "go" : "goes"} to ${new URL(url).origin}, which ${urlFrom} sets. Anyone who can change ${urlFrom}, for example by a pull request, can send ${isMany ? "them" : "it"} to another server. Set ${baseUrl.variable} in the environment, or set ${isMany ? "them" : "it"} in the same place as the base URL.`;
}

function redirectedKey(sources: Sources): string[] {
  const { source, settings: [setting] = [] } = keyGiver(sources) ?? {};
  if (source?.environment !== undefined && setting !== undefined) {
    return [`the key of ${setting.variable}`];
  }
  return source?.config !== undefined && setting === apiKeyFile
    ? [`the file that ${firstSource(apiKeyFile, source)[0]} names`]
    : [];
}
