import { DestinationError } from "../../support/errors";
import { addSecret, hideLink } from "../../support/redact";
import { words } from "../../support/words";
import type { AzblobDestination } from "./destination";

export interface AzureAccess {
  /** The account's blob endpoint, without a slash at its end. */
  endpoint: string;
  /** An account key signs each request; a shared access signature is a part of each address. */
  credentials: { kind: "key"; key: string } | { kind: "signature"; signature: string };
}

const names = {
  connection: "AZURE_STORAGE_CONNECTION_STRING",
  account: "AZURE_STORAGE_ACCOUNT",
  key: "AZURE_STORAGE_KEY",
  signature: "AZURE_STORAGE_SAS_TOKEN",
} as const;

/**
 * Finds the access to an account in the environment, by the names that Azure's own command line uses: a connection string,
 * else a key, else a shared access signature.
 * @throws DestinationError if the environment has none, or only those of another account. The error shows no value.
 */
export function findAccess(
  { account, endpoint }: AzblobDestination,
  environment: NodeJS.ProcessEnv = process.env,
): AzureAccess {
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const text = variable(names.connection);
  const connection = text === undefined ? undefined : partsOf(text);
  const named = connection ? connection.get("AccountName") : variable(names.account);
  const key = connection ? connection.get("AccountKey") : variable(names.key);
  const signature = connection ? connection.get("SharedAccessSignature") : variable(names.signature);
  addSecret(key ?? "");
  hideLink({ search: `?${signature?.replace(/^\?/, "")}` });
  const source = connection ? names.connection : names.account;
  const given = connection?.get("BlobEndpoint")?.replace(/\/+$/, "");
  if (given !== undefined && !URL.canParse(given)) {
    throw unusable(`${source} has a BlobEndpoint that is not an address`);
  }
  // Credentials of one account are not sent to another one. A connection string may name its account by the endpoint alone.
  const owner = named ?? (given === undefined ? account : accountAt(new URL(given)));
  if (owner !== account) {
    throw unusable(`${source} is for another storage account than ${account}, which the destination names`);
  }
  const suffix = connection?.get("EndpointSuffix") ?? "core.windows.net";
  const own = given ?? `https://${account}.blob.${suffix}`;
  if (key !== undefined) {
    return { endpoint: endpoint ?? own, credentials: { kind: "key", key } };
  }
  if (signature === undefined) {
    throw unusable(
      connection
        ? `${source} has no AccountKey and no SharedAccessSignature`
        : `the environment has no credentials for the storage account ${account}`,
    );
  }
  // A key only signs requests; a signature is itself sent, and opens the container to whoever gets it.
  if (endpoint !== undefined && endpoint !== given) {
    throw unusable(
      `the destination sets an endpoint, but this provider sends a shared access signature only to the BlobEndpoint of its ${names.connection}`,
    );
  }
  return { endpoint: own, credentials: { kind: "signature", signature: signature.replace(/^\?/, "") } };
}

/** The account of a blob endpoint: the first part of the host's name, or the path of an endpoint that has one. */
function accountAt({ hostname, pathname }: URL): string {
  return pathname === "/" ? (hostname.split(".")[0] ?? "") : pathname.slice(1);
}

function partsOf(text: string): Map<string, string> {
  return new Map(
    text.split(";").map((part): [string, string] => {
      const [name = "", ...value] = part.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}

function unusable(happened: string): DestinationError {
  return new DestinationError({
    happened,
    remedy: `set ${names.connection}, ${names.key} or ${names.signature} for it; then run \`${words.run}\` again.`,
  });
}
