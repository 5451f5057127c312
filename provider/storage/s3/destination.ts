import { type DestinationScheme, type ObjectAddress, OptionalPackage, parseObjectAddress } from "../scheme";

/** `endpoint` is the address of an S3 server other than AWS. */
export interface S3Destination extends ObjectAddress {
  kind: "s3";
  bucket: string;
  /** Undefined if the AWS SDK finds the region. */
  region: string | undefined;
  /** Undefined if the bucket decides how new objects are encrypted. */
  encryption?: { ServerSideEncryption: ServerSideEncryption; SSEKMSKeyId?: string };
}

const encryptions = ["AES256", "aws:kms", "aws:kms:dsse"] as const;
type ServerSideEncryption = (typeof encryptions)[number];
const parameters = ["region", "endpoint", "sse", "kmsKeyId"];

export type S3Sdk = typeof import("@aws-sdk/client-s3");

export const s3Sdk = new OptionalPackage<S3Sdk>("the AWS SDK", "@aws-sdk/client-s3", {
  resolve: () => require.resolve("@aws-sdk/client-s3"),
  load: () => require("@aws-sdk/client-s3"),
});

function encryptionOf(parameters: URLSearchParams): Pick<S3Destination, "encryption"> | string {
  const [sse, key] = [parameters.get("sse"), parameters.get("kmsKeyId")];
  if (sse === null) {
    return key === null ? {} : "has kmsKeyId without sse=aws:kms";
  }
  const ServerSideEncryption = encryptions.find((one) => one === sse);
  if (ServerSideEncryption === undefined) {
    return `has an unknown sse: give ${encryptions.join(", ")}`;
  }
  if (key === null) {
    return { encryption: { ServerSideEncryption } };
  }
  return ServerSideEncryption !== "AES256" && /^[\w:/-]{1,256}$/.test(key)
    ? { encryption: { ServerSideEncryption, SSEKMSKeyId: key } }
    : "has an invalid kmsKeyId: give the id or the ARN of a key, with sse=aws:kms";
}

const credentials = "the AWS SDK finds them by itself";

export const s3Scheme: DestinationScheme<S3Destination> = {
  example: "s3://bucket/prefix?region=…&endpoint=…",
  holds: "objects",
  credentials,
  library: { of: "a bucket", package: s3Sdk },
  parse: ({ url, steps }) => {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
      return { problem: "names no bucket: 3 to 63 lower-case letters, digits, dots and hyphens" };
    }
    const region = url.searchParams.get("region") ?? undefined;
    const address = parseObjectAddress(url, steps, parameters, credentials);
    if ("problem" in address) {
      return address;
    }
    if (region !== undefined && !/^[a-z0-9-]+$/.test(region)) {
      return { problem: "has an invalid region: use letters, digits and hyphens, such as eu-central-1" };
    }
    const encryption = encryptionOf(url.searchParams);
    return typeof encryption === "string"
      ? { problem: encryption }
      : { kind: "s3", bucket: url.host, region, ...address, ...encryption };
  },
};
