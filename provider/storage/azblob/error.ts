import { isNetworkFault } from "../../network/connectionFault";
import { ownPropertyOf } from "../../support/ownPropertyOf";
import { decideRetry, type ExplainedStorageFault } from "../attempt";

const credentials =
  "correct AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or this machine's clock";
const permission = "give the signature read, add, create, write, delete and list (racwdl) on the container";
const locked = "break the lease or the lock of this blob, or give another destination";

const remedies: Readonly<Record<string, string>> = {
  ContainerNotFound: "create the container, or correct the destination",
  ContainerBeingDeleted: "wait until Azure has deleted the container, and create it again",
  AuthenticationFailed: credentials,
  InvalidAuthenticationInfo: credentials,
  NoAuthenticationInformation: credentials,
  AuthorizationFailure: `${credentials}, and let the account's firewall accept requests from this machine`,
  AuthorizationPermissionMismatch: permission,
  AuthorizationProtocolMismatch: permission,
  AuthorizationResourceTypeMismatch: permission,
  AuthorizationServiceMismatch: permission,
  KeyBasedAuthenticationNotPermitted:
    "the account allows no keys, nor signatures made with them: give a user delegation SAS as AZURE_STORAGE_SAS_TOKEN (`az storage container generate-sas --as-user --auth-mode login …`), and unset AZURE_STORAGE_KEY and AZURE_STORAGE_CONNECTION_STRING, which take precedence",
  LeaseAlreadyPresent: locked,
  LeaseIdMissing: locked,
  BlobImmutableDueToPolicy: locked,
  SnapshotsPresent: "delete the snapshots of this blob",
  AccountIsDisabled: "enable the storage account",
};

interface AzureError {
  code?: unknown;
  statusCode?: number;
  details?: { errorCode?: unknown };
  response?: { headers?: { get(name: string): string | undefined } };
}

/** Leaves out Azure's own message: it repeats the request's headers, which may contain secrets. */
export function explainAzureFault(error: unknown): ExplainedStorageFault | undefined {
  const { statusCode, response } = Object(error) as AzureError;
  if (statusCode === undefined || isNetworkFault(error)) {
    return undefined;
  }
  const code = codeOf(error);
  return {
    ...decideRetry(statusCode, (name) => response?.headers?.get(name)),
    why: [code, `HTTP ${statusCode}`].filter((word) => word !== "").join(", "),
    remedy: ownPropertyOf(remedies, code) ?? (statusCode === 403 ? permission : undefined),
  };
}

export function isMissingBlob(error: unknown): boolean | "perhaps" {
  if (["BlobNotFound", "ContainerNotFound"].includes(codeOf(error))) {
    return true;
  }
  return (Object(error) as AzureError).statusCode === 404 ? "perhaps" : false;
}

function codeOf(error: unknown): string {
  const { code, details } = Object(error) as AzureError;
  const found = [details?.errorCode, code].find((one) => typeof one === "string" && /^[A-Za-z]{1,60}$/.test(one));
  return typeof found === "string" ? found : "";
}
