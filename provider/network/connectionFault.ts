const unknownAuthority =
  "the certificate is signed by an unknown authority (DOCS_PLATFORM_CA_FILE or NODE_EXTRA_CA_CERTS names yours)";

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
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the certificate is self-signed (DOCS_PLATFORM_CA_FILE or NODE_EXTRA_CA_CERTS makes it known)",
  CERT_HAS_EXPIRED: "the certificate has expired",
};

/** Why a connection could not be made, or broke: the end of a sentence. */
export function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return "the connection failed";
  }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  const text = words[code] ?? (cause.message || "the connection failed");
  return code ? `${text} (${code})` : text;
}
