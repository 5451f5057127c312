import { type ObjectAddress, OptionalPackage, objectAddress, type Scheme } from "../scheme";

/** The endpoint is the address of an S3 server other than AWS. */
export interface S3Destination extends ObjectAddress {
  kind: "s3";
  bucket: string;
  /** The region; undefined if the AWS SDK finds it by itself. */
  region: string | undefined;
}

export type S3Sdk = typeof import("@aws-sdk/client-s3");

export const s3Sdk = new OptionalPackage<S3Sdk>("the AWS SDK", "@aws-sdk/client-s3", {
  resolve: () => require.resolve("@aws-sdk/client-s3"),
  load: () => require("@aws-sdk/client-s3"),
});

const credentials = "the AWS SDK finds them by itself";

export const s3Scheme = {
  example: "s3://bucket/prefix?region=…&endpoint=…",
  holds: "objects",
  credentials,
  library: { of: "a bucket", package: s3Sdk },
  parse: ({ url, steps }) => {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
      return { problem: "names no bucket: 3 to 63 lower-case letters, digits, dots and hyphens" };
    }
    const region = url.searchParams.get("region") ?? undefined;
    const address = objectAddress(url, steps, ["region", "endpoint"], credentials);
    if ("problem" in address) {
      return address;
    }
    return region === undefined || /^[a-z0-9-]+$/.test(region)
      ? { kind: "s3", bucket: url.host, region, ...address }
      : { problem: "has an invalid region: use letters, digits and hyphens, such as eu-central-1" };
  },
} satisfies Scheme<S3Destination>;
