import { caFile, howToSet } from "../settings/settingTable";
import { ownPropertyOf } from "../support/ownPropertyOf";
import { words as hostWords } from "../support/words";
import { findProxyForAddress } from "./proxy";

const unknownAuthority = "the certificate is signed by an unknown authority";
const selfSigned = "the certificate is self-signed";
const noAnswerInTime = "no answer came in time";

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
  UND_ERR_PRX_CONN: "the proxy closed the connection",
  ETIMEDOUT: noAnswerInTime,
  UND_ERR_HEADERS_TIMEOUT: noAnswerInTime,
  UND_ERR_BODY_TIMEOUT: noAnswerInTime,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host name",
};

/** Any address that is not on this machine. `findProxyForAddress` returns the same proxy for all such addresses. */
const anyAddress = new URL("https://example.com");

const unknownFault = "the connection failed";

export interface ConnectionFault {
  why: string;
  remedy?: string | undefined;
  /**
   * True if another try may succeed. False for an untrusted certificate: every try would fail. False for an exceeded
   * time limit: the limit is already long.
   */
  mayPass: boolean;
  /**
   * True if a proxy refuses this client. In this case nothing was sent, and another try would fail in the same way.
   */
  isFinal: boolean;
}

export function explainConnectionFault(error: unknown): ConnectionFault {
  const refusal = proxyRefusal(error);
  if (refusal !== undefined) {
    const isFinal = refusal < 500 && refusal !== 408 && refusal !== 429;
    const next = { isFinal, mayPass: !isFinal };
    const proxy = `the proxy ${findProxyForAddress(anyAddress)?.address.host ?? ""}`;
    return refusal === 407
      ? {
          why: `${proxy} does not accept the user name and the password that it got (407)`,
          remedy:
            "give both in HTTPS_PROXY, before the host: user:password@host, with special characters percent-encoded",
          ...next,
        }
      : {
          why: `${proxy} refused the tunnel (${refusal})`,
          remedy:
            "allow the address in the proxy, or add its host to NO_PROXY if this machine reaches it without a proxy",
          ...next,
        };
  }
  const fault = networkFault(error);
  if (fault === undefined) {
    return { why: (error instanceof Error && error.message) || unknownFault, mayPass: false, isFinal: false };
  }
  const { code, message } = fault;
  const known = ownPropertyOf(words, code);
  return {
    why: code === "" ? noAnswerInTime : `${known ?? (message || unknownFault)} (${code})`,
    remedy:
      known === unknownAuthority || known === selfSigned
        ? `give a file with the certificate of the authority (PEM) as ${hostWords.name(caFile.name)}: ${howToSet(caFile)}; NODE_EXTRA_CA_CERTS also works`
        : undefined,
    mayPass: code !== "" && !/CERT|SIGNATURE|^ERR_/.test(code),
    isFinal: false,
  };
}

function proxyRefusal(error: unknown): number | undefined {
  const told = causesOf(error).map(({ message }) => /^Proxy response \((\d{3})\)/.exec(message)?.[1]);
  const status = told.find((each) => each !== undefined);
  return status === undefined ? undefined : Number(status);
}

export function isNetworkFault(error: unknown): boolean {
  return networkFault(error) !== undefined;
}

/**
 * Finds the network error in an error or its causes, because libraries wrap a network error in an error of their own.
 * @returns an empty code for an exceeded time limit, which has no code.
 */
function networkFault(error: unknown): { code: string; message: string } | undefined {
  for (const { code, name, message } of causesOf(error)) {
    if (typeof code === "string" && isNetworkCode(code)) {
      return { code, message };
    }
    if (name === "TimeoutError") {
      return { code: "", message };
    }
  }
  return undefined;
}

function causesOf(error: unknown): NodeJS.ErrnoException[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** The codes of the system (`ECONNREFUSED`), the HTTP library (`UND_ERR_…`), its parser (`HPE_…`) and OpenSSL. */
function isNetworkCode(code: string): boolean {
  return (
    ownPropertyOf(words, code) !== undefined ||
    /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|ERR_(SSL|TLS)_[A-Z0-9_]+|CERT_[A-Z_]+)$/.test(code)
  );
}
