import { hintToAllowSecretsFor, isOriginAllowedForSecrets } from "../../settings/machineSecrets";
import { DestinationError } from "../../support/errors";
import { registerLinkSecrets, registerSecret } from "../../support/redact";
import { words } from "../../support/words";
import { type DestinationScheme, type ObjectAddress, OptionalPackage, parseObjectAddress } from "../scheme";

/** `endpoint` is set if the account is in a cloud other than Azure's public one. */
export interface AzblobDestination extends ObjectAddress {
  kind: "azblob";
  account: string;
  container: string;
}

type AzureSdk = typeof import("@azure/storage-blob");

export const azureSdk = new OptionalPackage<AzureSdk>("Azure's SDK", "@azure/storage-blob", {
  resolve: () => require.resolve("@azure/storage-blob"),
  load: () => require("@azure/storage-blob"),
});

/** Lower-case letters, digits and single hyphens, or one of Azure's special names. */
const containerName = /^(?=.{3,63}$)([a-z0-9]+(-[a-z0-9]+)*|\$web|\$root)$/;

const credentials =
  "this provider reads them from the environment (AZURE_STORAGE_CONNECTION_STRING, or _KEY, or _SAS_TOKEN)";

export const azblobScheme: DestinationScheme<AzblobDestination> = {
  example: "azblob://account/container/prefix",
  holds: "objects",
  credentials,
  library: { of: "Azure Blob Storage", package: azureSdk },
  accessProblem: redirectedAccess,
  parse: ({ url, steps: [container = "", ...steps] }) => {
    if (!/^[a-z0-9]{3,24}$/.test(url.host)) {
      return { problem: "names no storage account: 3 to 24 lower-case letters and digits" };
    }
    if (!containerName.test(container)) {
      return { problem: "names no container: 3 to 63 lower-case letters, digits and single hyphens, or $web" };
    }
    const address = parseObjectAddress(url, steps, ["endpoint"], credentials);
    return "problem" in address ? address : { kind: "azblob", account: url.host, container, ...address };
  },
};

interface AzureAccess {
  /** The account's blob endpoint, without a slash at its end. */
  endpoint: string;
  /** The key signs each request. The signature (SAS) is a part of each address. */
  credentials: { kind: "key"; key: string } | { kind: "signature"; signature: string };
}

const names = {
  connection: "AZURE_STORAGE_CONNECTION_STRING",
  account: "AZURE_STORAGE_ACCOUNT",
  key: "AZURE_STORAGE_KEY",
  signature: "AZURE_STORAGE_SAS_TOKEN",
} as const;

interface Given {
  /** The environment variable that names the account. */
  source: string;
  /** The fields of the connection string. Without a connection string, the other variables give the same fields. */
  fields: ReadonlyMap<string, string | undefined>;
  /** The blob endpoint in the connection string. */
  endpoint: string | undefined;
}

function givenBy(environment: NodeJS.ProcessEnv): Given {
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const connection = variable(names.connection);
  if (connection === undefined) {
    const fields = new Map([
      ["AccountName", variable(names.account)],
      ["AccountKey", variable(names.key)],
      ["SharedAccessSignature", variable(names.signature)],
    ]);
    return { source: names.account, fields, endpoint: undefined };
  }
  const fields = new Map(
    connection.split(";").map((part): [string, string] => {
      const [name = "", ...value] = part.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
  return { source: names.connection, fields, endpoint: fields.get("BlobEndpoint")?.replace(/\/+$/, "") };
}

function ownEndpoint(account: string, { fields, endpoint }: Given): string {
  return endpoint ?? `https://${account}.blob.${fields.get("EndpointSuffix") ?? "core.windows.net"}`;
}

/**
 * Returns the reason why an account's credentials may not go to an endpoint. The reason begins with a verb: "sets the
 * endpoint …". A foreign server could open the container with a signature (SAS). A request that is signed with the key
 * would also be dangerous: the key does not sign the host, so the server could forward the request to the real account.
 */
function redirectedAccess(
  { account, endpoint }: AzblobDestination,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const given = givenBy(environment);
  const { fields } = given;
  if (endpoint === undefined || (fields.get("AccountKey") ?? fields.get("SharedAccessSignature")) === undefined) {
    return undefined;
  }
  const url = new URL(endpoint);
  const own = ownEndpoint(account, given);
  return (URL.canParse(own) && new URL(own).origin === url.origin) || isOriginAllowedForSecrets(url, environment)
    ? undefined
    : `sets the endpoint ${url.origin}, to which this machine's access to the account does not go: it goes to the account's own host, and to the BlobEndpoint of ${names.connection}. To send it there, ${hintToAllowSecretsFor(url)}`;
}

/**
 * Looks for a connection string, then a key, then a shared access signature.
 * @throws DestinationError without a secret in its text.
 */
export function findAzureAccess(
  destination: AzblobDestination,
  environment: NodeJS.ProcessEnv = process.env,
): AzureAccess {
  const { account, endpoint } = destination;
  const given = givenBy(environment);
  const { source, fields } = given;
  const key = fields.get("AccountKey");
  const signature = fields.get("SharedAccessSignature")?.replace(/^\?/, "");
  registerSecret(key ?? "");
  registerLinkSecrets({ search: `?${signature}` });
  if (given.endpoint !== undefined && !URL.canParse(given.endpoint)) {
    throw unusable(`${source} has a BlobEndpoint that is not an address`);
  }
  // The credentials of one account are not sent to another account. If the connection string has no AccountName, its
  // BlobEndpoint names the account.
  const named = given.endpoint === undefined ? account : accountAt(new URL(given.endpoint));
  const owner = fields.get("AccountName") ?? named;
  if (owner !== account) {
    throw unusable(`${source} is for another storage account than ${account}, which the destination names`);
  }
  const redirected = redirectedAccess(destination, environment);
  if (redirected !== undefined) {
    throw unusable(`the destination ${redirected}`);
  }
  const to = endpoint ?? ownEndpoint(account, given);
  if (key !== undefined) {
    return { endpoint: to, credentials: { kind: "key", key } };
  }
  if (signature === undefined) {
    throw unusable(
      source === names.connection
        ? `${source} has no AccountKey and no SharedAccessSignature`
        : `the environment has no credentials for the storage account ${account}`,
    );
  }
  return { endpoint: to, credentials: { kind: "signature", signature } };
}

/** Returns the endpoint's path or, without a path, the first label of the host's name. */
function accountAt({ hostname, pathname }: URL): string {
  return pathname === "/" ? (hostname.split(".")[0] ?? "") : pathname.slice(1);
}

function unusable(happened: string): DestinationError {
  return new DestinationError({
    happened,
    remedy: `set ${names.connection}, ${names.key} or ${names.signature} for it; then run \`${words.run}\` again.`,
  });
}
