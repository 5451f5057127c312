import { endpointProblem, OptionalPackage, parameterProblem, type Scheme } from "../scheme";

export interface S3Destination {
  kind: "s3";
  bucket: string;
  /** The prefix of every key: empty, or ending with a slash. */
  prefix: string;
  /** The region; undefined if the AWS SDK finds it by itself. */
  region: string | undefined;
  /** The address of an S3 server other than AWS. */
  endpoint: string | undefined;
}

export type S3Sdk = typeof import("@aws-sdk/client-s3");

export const s3Sdk = new OptionalPackage<S3Sdk>({
  title: "the AWS SDK",
  install: "@aws-sdk/client-s3",
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
    const [region, endpoint] = [url.searchParams.get("region"), url.searchParams.get("endpoint")];
    const problem =
      parameterProblem(url.searchParams, ["region", "endpoint"], credentials) ??
      (region === null ? undefined : regionProblem(region)) ??
      (endpoint === null ? undefined : endpointProblem(endpoint));
    return problem === undefined
      ? {
          kind: "s3",
          bucket: url.host,
          prefix: steps.map((step) => `${step}/`).join(""),
          region: region ?? undefined,
          endpoint: endpoint?.replace(/\/+$/, ""),
        }
      : { problem };
  },
} satisfies Scheme<S3Destination>;

function regionProblem(region: string): string | undefined {
  return /^[a-z0-9-]+$/.test(region)
    ? undefined
    : "has an invalid region: use letters, digits and hyphens, such as eu-central-1";
}
