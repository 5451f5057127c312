import { words } from "../support/words";
import { isKeyOf } from "./pemFile";
import { caFile, clientCertFile, clientKeyFile, howToGive } from "./settingTable";
import { type Problem, readSetting, type Sources } from "./sources";

/**
 * The files (PEM) with the authorities that this client trusts, and with the certificate that it shows to the
 * platform's origin.
 */
export interface TlsSettings {
  /** The authorities in addition to those that Node.js knows. They apply to every server. */
  caFile: string | undefined;
  /** The client certificate. It is given together with `clientKeyFile`, or both are missing. */
  clientCertFile: string | undefined;
  clientKeyFile: string | undefined;
}

export function readTlsSettings(sources: Sources): TlsSettings | { problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const read = (setting: typeof caFile) => {
    const result = readSetting(setting, sources);
    if ("problem" in result) {
      problems.push(result.problem);
      return undefined;
    }
    return result.value;
  };
  const tls = { caFile: read(caFile), clientCertFile: read(clientCertFile), clientKeyFile: read(clientKeyFile) };
  const problem = problems.length === 0 ? mismatch(tls.clientCertFile, tls.clientKeyFile) : undefined;
  problems.push(...(problem === undefined ? [] : [problem]));
  return problems.length === 0 ? tls : { problems };
}

/** Returns the problem if a client certificate and a key do not belong together, or if one of them is missing. */
function mismatch(certificate: string | undefined, key: string | undefined): Problem | undefined {
  if (certificate !== undefined && key !== undefined) {
    return isKeyOf(key, certificate)
      ? undefined
      : {
          setting: clientKeyFile.name,
          reason: `the setting ${words.name("clientKeyFile")} names the file ${key}, but its key does not belong to the certificate in ${words.name("clientCertFile")}: ${howToGive(clientKeyFile)}`,
        };
  }
  const [has, lacks] = certificate === undefined ? [clientKeyFile, clientCertFile] : [clientCertFile, clientKeyFile];
  return certificate === key
    ? undefined
    : {
        setting: lacks.name,
        reason: `the setting ${words.name(has.name)} is given without ${words.name(lacks.name)}: ${howToGive(lacks)}`,
      };
}
