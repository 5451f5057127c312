import { caFile, howToGive } from "../settings/settingTable";
import { words as hostWords } from "../support/words";

const unknownAuthority = "the certificate is signed by an unknown authority";

/** The codes that say most, in words; every other error speaks for itself. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the connection could not be made in time",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "the answer is larger than any answer of the admin API, of which 256 KiB are read",
  ERR_BUFFER_TOO_LARGE: "the answer unpacks to more than any answer of the admin API, of which 256 KiB are read",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  CERT_HAS_EXPIRED: "the certificate has expired",
};

/** Why a connection could not be made, or broke: the end of a sentence. */
export function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return "the connection failed";
  }
  const code = codeOf(cause);
  const text = words[code] ?? (cause.message || "the connection failed");
  return code ? `${text} (${code})` : text;
}

/** The codes of a certificate that `caFile` makes known. */
const unknownCertificates: readonly string[] = [
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
];

/** What to do about a connection that could not be made, where its fault tells: without the full stop. */
export function faultRemedy(cause: unknown): string | undefined {
  return unknownCertificates.includes(codeOf(cause))
    ? `name a file with the certificate of the authority (PEM) in ${hostWords.name(caFile.name)}: ${howToGive(caFile)}; NODE_EXTRA_CA_CERTS works, too`
    : undefined;
}

function codeOf(cause: unknown): string {
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
