import { isSea } from "node:sea";
import tls from "node:tls";
import { readPemFile } from "../settings/pemFile";
import type { TlsSettings } from "../settings/settings";

const contexts = new Map<string, tls.SecureContext>();

let isTrustedAsByNode = false;

/** Our executables start without certificate authorities, because most of their processes make no connection. */
export function trustUsualNodeAuthorities({ NODE_USE_SYSTEM_CA }: NodeJS.ProcessEnv): void {
  isTrustedAsByNode = true;
  const kinds = ["bundled", "extra", ...(NODE_USE_SYSTEM_CA === "1" ? (["system"] as const) : [])] as const;
  tls.setDefaultCACertificates(kinds.flatMap((kind) => tls.getCACertificates(kind)));
}

export function loadSecureContext({
  caFile,
  clientCertFile,
  clientKeyFile,
}: TlsSettings): tls.SecureContext | undefined {
  if (isSea() && !isTrustedAsByNode) {
    trustUsualNodeAuthorities(process.env);
  }
  const files = [caFile, clientCertFile, clientKeyFile];
  if (files.every((file) => file === undefined)) {
    return undefined;
  }
  const name = JSON.stringify(files);
  const known = contexts.get(name);
  if (known) {
    return known;
  }
  const made = tls.createSecureContext({
    // `ca` replaces the default list of Node.js, which also contains NODE_EXTRA_CA_CERTS. So `ca` repeats the default
    // list.
    ...(caFile !== undefined && { ca: [...tls.getCACertificates("default"), readPemFile(caFile)] }),
    ...(clientCertFile !== undefined && { cert: readPemFile(clientCertFile) }),
    ...(clientKeyFile !== undefined && { key: readPemFile(clientKeyFile) }),
  });
  contexts.set(name, made);
  return made;
}

let caFileOfProcess: string | undefined;

/** Sets the `caFile` for connections to servers that have no settings of their own, such as a bucket. */
export function setProcessCaFile(caFile: string | undefined): void {
  caFileOfProcess = caFile;
}

export function loadTlsContextWithExtraAuthorities(): tls.SecureContext | undefined {
  return loadSecureContext({ caFile: caFileOfProcess, clientCertFile: undefined, clientKeyFile: undefined });
}
