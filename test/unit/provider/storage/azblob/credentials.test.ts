import { describe, expect, it } from "vitest";
import type { AzblobDestination } from "../../../../../provider/storage/azblob/destination";
import { findAzureAccess } from "../../../../../provider/storage/azblob/destination";
import { redact } from "../../../../../provider/support/redact";

const key = "c2VjcmV0LWtleS0wMTIzNDU2Nzg5";
const signature = "sv=2026-01-01&sp=racwdl&sig=s3cr3t-tr0ub4d0r%3D";
const publicEndpoint = "https://docs.blob.core.windows.net";
const privateEndpoint = "https://storage.example.com/docs";
const destination = (endpoint?: string): AzblobDestination => ({
  ...{ kind: "azblob", account: "docs", container: "site", prefix: "", endpoint },
});
const connection = (...parts: string[]) => ({ AZURE_STORAGE_CONNECTION_STRING: parts.join(";") });

describe("the access to a storage account", () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined, string, string]>([
    ["a key", { AZURE_STORAGE_KEY: key }, undefined, publicEndpoint, "key"],
    [
      "a key, and its account",
      { AZURE_STORAGE_ACCOUNT: "docs", AZURE_STORAGE_KEY: key },
      undefined,
      publicEndpoint,
      "key",
    ],
    [
      "a key, in another cloud that the environment names",
      { AZURE_STORAGE_KEY: key, DOCS_PLATFORM_SECRETS_ONLY_TO: "https://x.example https://storage.example.com" },
      ...([privateEndpoint, privateEndpoint, "key"] as const),
    ],
    [
      "a connection string with a key, at its own endpoint",
      connection(`BlobEndpoint=${privateEndpoint}/`, `AccountKey=${key}`),
      ...([privateEndpoint, privateEndpoint, "key"] as const),
    ],
    ["a signature", { AZURE_STORAGE_SAS_TOKEN: `?${signature}` }, undefined, publicEndpoint, "signature"],
    [
      "a connection string before all others",
      {
        ...connection("AccountName=docs", `AccountKey=${key}`, "EndpointSuffix=core.example"),
        AZURE_STORAGE_SAS_TOKEN: signature,
      },
      ...([undefined, "https://docs.blob.core.example", "key"] as const),
    ],
    [
      "a connection string with a signature, at its own endpoint",
      connection(`BlobEndpoint=${privateEndpoint}/`, `SharedAccessSignature=${signature}`),
      ...([privateEndpoint, privateEndpoint, "signature"] as const),
    ],
  ])("is found as %s", (_, environment, endpoint, expected, kind) => {
    const access = findAzureAccess(destination(endpoint), environment);
    expect(access.endpoint).toBe(expected);
    expect(access.credentials).toEqual(kind === "key" ? { kind, key } : { kind, signature });
  });

  it.each<[string, NodeJS.ProcessEnv, string | undefined, RegExp]>([
    ["no access", {}, undefined, /the environment has no credentials for the storage account docs/],
    ["blank values", { AZURE_STORAGE_KEY: " " }, undefined, /has no credentials/],
    [
      "the key of another account",
      { AZURE_STORAGE_ACCOUNT: "other", AZURE_STORAGE_KEY: key },
      undefined,
      /for another storage account/,
    ],
    [
      "a connection string of another account",
      connection("AccountName=other", `AccountKey=${key}`),
      undefined,
      /for another storage account/,
    ],
    [
      "a signature of another account",
      connection("BlobEndpoint=https://other.blob.core.windows.net", `SharedAccessSignature=${signature}`),
      ...([undefined, /for another storage account/] as const),
    ],
    ["a connection string without credentials", connection("AccountName=docs"), undefined, /has no AccountKey/],
    [
      "a signature for an endpoint that only the address names",
      { AZURE_STORAGE_SAS_TOKEN: signature },
      privateEndpoint,
      /sets the endpoint https:\/\/storage.example.com, to which this machine's access to the account does not go/,
    ],
    [
      "a key for an endpoint that only the address names",
      { AZURE_STORAGE_KEY: key },
      privateEndpoint,
      /sets the endpoint https:\/\/storage.example.com, to which this machine's access to the account does not go/,
    ],
  ])("is refused: %s, and nothing of it is shown", (_, environment, endpoint, problem) => {
    const find = () => findAzureAccess(destination(endpoint), environment);
    expect(find).toThrow(problem);
    expect(find).toThrow("AZURE_STORAGE_CONNECTION_STRING");
    expect(find).not.toThrow(/s3cr3t|c2VjcmV0/);
  });

  it("is a secret of the process from then on", () => {
    findAzureAccess(destination(), { AZURE_STORAGE_SAS_TOKEN: signature });
    findAzureAccess(destination(), { AZURE_STORAGE_KEY: key });
    expect(redact(`failed with ${key} and ${signature}`)).not.toMatch(/s3cr3t|c2VjcmV0/);
  });
});
