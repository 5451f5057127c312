import { endpointProblem, OptionalPackage, parameterProblem, type Scheme } from "../scheme";

export interface AzblobDestination {
  kind: "azblob";
  account: string;
  container: string;
  /** The prefix of every name: empty, or ending with a slash. */
  prefix: string;
  /** The account's blob endpoint, in another cloud than Azure's public one. */
  endpoint: string | undefined;
}

export type AzureSdk = typeof import("@azure/storage-blob");

export const azureSdk = new OptionalPackage<AzureSdk>({
  title: "Azure's SDK",
  install: "@azure/storage-blob",
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
    const endpoint = url.searchParams.get("endpoint");
    const problem =
      parameterProblem(url.searchParams, ["endpoint"], credentials) ??
      (endpoint === null ? undefined : endpointProblem(endpoint));
    return problem === undefined
      ? {
          kind: "azblob",
          account: url.host,
          container,
          prefix: steps.map((step) => `${step}/`).join(""),
          endpoint: endpoint?.replace(/\/+$/, ""),
        }
      : { problem };
  },
} satisfies Scheme<AzblobDestination>;
