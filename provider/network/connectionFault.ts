import { caFile, howToGive } from "../settings/settingTable";
import { words as hostWords } from "../support/words";

const unknownAuthority = "the certificate is signed by an unknown authority";
const noAnswerInTime = "no answer came in time";

/** The meaning of the codes of Node.js and of the HTTP library. An error with any other code is described by its own message. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the connection could not be made in time",
  ETIMEDOUT: noAnswerInTime,
  UND_ERR_HEADERS_TIMEOUT: noAnswerInTime,
  UND_ERR_BODY_TIMEOUT: noAnswerInTime,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host name",
};

const unknownFault = "the connection failed";

/**
 * Why a connection failed, as the end of a sentence. Every client of the provider describes its network faults here, whatever
 * library it uses.
 */
export function describeFault(error: unknown): string {
  const fault = networkFault(error);
  if (fault === undefined) {
    return (error instanceof Error && error.message) || unknownFault;
  }
  const { code, message } = fault;
  return code === "" ? noAnswerInTime : `${words[code] ?? (message || unknownFault)} (${code})`;
}

/** Whether an error comes from the network, and not from the server's answer or from this program. */
export function isNetworkFault(error: unknown): boolean {
  return networkFault(error) !== undefined;
}

/** Whether another try may succeed. Not after a time limit, which is long, and not with the same certificate. */
export function isPassingFault(error: unknown): boolean {
  const code = networkFault(error)?.code ?? "";
  return code !== "" && !/CERT|SIGNATURE|^ERR_/.test(code);
}

/** The codes of a certificate whose authority the setting `caFile` can add. */
const unknownCertificates: readonly string[] = [
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
];

/** The remedy for a network fault, without the full stop; undefined if the fault does not tell. */
export function faultRemedy(error: unknown): string | undefined {
  return unknownCertificates.includes(networkFault(error)?.code ?? "")
    ? `give a file with the certificate of the authority (PEM) as ${hostWords.name(caFile.name)}: ${howToGive(caFile)}; NODE_EXTRA_CA_CERTS also works`
    : undefined;
}

/**
 * The error of the network behind an error: libraries wrap it as the cause of their own.
 * @returns an empty code for a time limit, which has none.
 */
function networkFault(error: unknown): { code: string; message: string } | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, name, message } = at as NodeJS.ErrnoException;
    if (typeof code === "string" && isNetworkCode(code)) {
      return { code, message };
    }
    if (name === "TimeoutError") {
      return { code: "", message };
    }
  }
  return undefined;
}

/** `ECONNREFUSED` and its like, `UND_ERR_…` of the HTTP library, `HPE_…` of its parser, and those of OpenSSL. */
function isNetworkCode(code: string): boolean {
  return code in words || /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|ERR_(SSL|TLS)_[A-Z0-9_]+|CERT_[A-Z_]+)$/.test(code);
}
