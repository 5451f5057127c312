import { type ObjectAddress, OptionalPackage, objectAddress, type Scheme } from "../scheme";

/** The endpoint is the account's blob endpoint, in another cloud than Azure's public one. */
export interface AzblobDestination extends ObjectAddress {
  kind: "azblob";
  account: string;
  container: string;
}

export type AzureSdk = typeof import("@azure/storage-blob");

export const azureSdk = new OptionalPackage<AzureSdk>("Azure's SDK", "@azure/storage-blob", {
  resolve: () => require.resolve("@azure/storage-blob"),
  load: () => require("@azure/storage-blob"),
});

/** Letters, digits and single hyphens, or one of the two containers that Azure makes itself. */
const containerName = /^(?=.{3,63}$)([a-z0-9]+(-[a-z0-9]+)*|\$web|\$root)$/;

const credentials =
  "this provider takes them from the environment (AZURE_STORAGE_CONNECTION_STRING, or _KEY, or _SAS_TOKEN)";

export const azblobScheme = {
  example: "azblob://account/container/prefix",
  holds: "objects",
  credentials,
  library: { of: "Azure Blob Storage", package: azureSdk },
  parse: ({ url, steps: [container = "", ...steps] }) => {
    if (!/^[a-z0-9]{3,24}$/.test(url.host)) {
      return { problem: "names no storage account: 3 to 24 lower-case letters and digits" };
    }
    if (!containerName.test(container)) {
      return { problem: "names no container: 3 to 63 lower-case letters, digits and single hyphens, or $web" };
    }
    const address = objectAddress(url, steps, ["endpoint"], credentials);
    return "problem" in address ? address : { kind: "azblob", account: url.host, container, ...address };
  },
} satisfies Scheme<AzblobDestination>;
