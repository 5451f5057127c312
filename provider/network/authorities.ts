import { readFileSync } from "node:fs";
import { isSea } from "node:sea";
import tls from "node:tls";
import { pemText } from "../settings/pemFile";
import type { TlsSettings } from "../settings/tlsSettings";

const contexts = new Map<string, tls.SecureContext>();

let isTrustedAsByNode = false;

/**
 * An executable of ours starts without authorities, since most of its processes connect to nobody: from now on this process
 * trusts those that Node.js by itself trusts.
 */
export function trustAsNode({ NODE_USE_SYSTEM_CA }: NodeJS.ProcessEnv): void {
  isTrustedAsByNode = true;
  const kinds = ["bundled", "extra", ...(NODE_USE_SYSTEM_CA === "1" ? (["system"] as const) : [])] as const;
  tls.setDefaultCACertificates(kinds.flatMap((kind) => tls.getCACertificates(kind)));
}

/** The authorities and the certificate of TLS connections, made once a process; undefined for the defaults of Node.js. */
export function secureContext({ caFile, clientCertFile, clientKeyFile }: TlsSettings): tls.SecureContext | undefined {
  if (isSea() && !isTrustedAsByNode) {
    trustAsNode(process.env);
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
    ...(caFile !== undefined && { ca: [...authoritiesOfNode(), pemText(caFile)] }),
    ...(clientCertFile !== undefined && { cert: pemText(clientCertFile) }),
    ...(clientKeyFile !== undefined && { key: pemText(clientKeyFile) }),
  });
  contexts.set(name, made);
  return made;
}

/** To name any authority takes away Node's own, and those that NODE_EXTRA_CA_CERTS adds to them. */
function authoritiesOfNode(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: "default") => string[] };
  return getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraAuthorities(process.env)];
}

/** Node.js itself warns of a file that it cannot read, and goes on without it. */
function extraAuthorities({ NODE_EXTRA_CA_CERTS: file = "" }: NodeJS.ProcessEnv): string[] {
  try {
    return file === "" ? [] : [readFileSync(file, "utf8")];
  } catch {
    return [];
  }
}

let caFileOfProcess: string | undefined;

/** The `caFile` that holds for what is reached without any other setting, such as a bucket. */
export function setProcessCaFile(caFile: string | undefined): void {
  caFileOfProcess = caFile;
}

/** As {@link secureContext}, for such a server. */
export function processContext(): tls.SecureContext | undefined {
  return secureContext({ caFile: caFileOfProcess, clientCertFile: undefined, clientKeyFile: undefined });
}
