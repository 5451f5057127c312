import { explainConnectionFault, isNetworkFault } from "../../network/connectionFault";
import { ownPropertyOf } from "../../support/ownPropertyOf";
import { decideRetry, type ExplainedStorageFault } from "../attempt";

const credentials = "correct the credentials that the AWS SDK finds (AWS_PROFILE, AWS_ACCESS_KEY_ID, a role)";
const region = "give the bucket's region as ?region= in its s3:// address, or as AWS_REGION in the environment";
const permission =
  "allow these credentials s3:PutObject, s3:GetObject, s3:DeleteObject and s3:AbortMultipartUpload on the objects, and s3:ListBucket on the bucket";

const encryption = "if the bucket's policy demands encryption, add ?sse=aws:kms (and &kmsKeyId=…) to its address";
const key = "let these credentials use the KMS key (kms:GenerateDataKey and kms:Decrypt), and enable it";
const lock = "the object is locked: end its retention or its legal hold, or keep it by `retainOnDelete`";

const remedies: Readonly<Record<string, string>> = {
  NoSuchBucket: "create the bucket, or correct the destination",
  AccessDenied: `${permission}; ${encryption}`,
  InvalidAccessKeyId: credentials,
  SignatureDoesNotMatch: credentials,
  InvalidSecurity: credentials,
  AccessKeyDisabled: credentials,
  Unauthorized: credentials,
  ExpiredToken: credentials,
  InvalidToken: credentials,
  TokenRefreshRequired: credentials,
  CredentialsProviderError: credentials,
  PermanentRedirect: region,
  TemporaryRedirect: region,
  IllegalLocationConstraintException: region,
  AuthorizationHeaderMalformed: region,
};

/** For errors whose names are not in `remedies`. An answer to HEAD, for example, has no body that names the error. */
const remediesByStatus: Readonly<Record<number, string>> = {
  301: region,
  307: region,
  401: credentials,
  403: `${permission}; ${encryption}`,
};

interface S3Error {
  name?: string;
  message?: string;
  Region?: string;
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
  $response?: { headers?: Record<string, string | undefined> };
}

const passing: readonly string[] = ["RequestTimeout", "RequestTimeTooSkewed", "SlowDown", "InternalError"];

export function explainS3Fault(error: unknown): ExplainedStorageFault | undefined {
  const { name = "", message = "", $metadata, $response } = error as S3Error;
  const status = $metadata?.httpStatusCode;
  if (status === undefined && isNetworkFault(error)) {
    return undefined;
  }
  const told = [
    name === "Error" || name === "Unknown" ? "" : name,
    message === "UnknownError" ? "" : message,
    status === undefined ? "" : `HTTP ${status}`,
  ].filter((word) => word !== "");
  const next = decideRetry(status, (header) => $response?.headers?.[header]);
  return {
    ...next,
    // If this machine's clock is wrong, the SDK signs the next attempt with the server's time.
    mayPass: next.mayPass || passing.includes(name) || $metadata?.clockSkewCorrected === true,
    why: told.length > 0 ? told.join(", ") : explainConnectionFault(error).why,
    remedy: remedyOf(error as S3Error),
  };
}

function remedyOf({ name = "", message = "", Region, $metadata, $response }: S3Error): string | undefined {
  const { "x-amz-bucket-region": named = Region } = $response?.headers ?? {};
  const usual = ownPropertyOf(remedies, name) ?? remediesByStatus[$metadata?.httpStatusCode ?? 0];
  if (usual === region && named !== undefined && /^[a-z0-9-]{1,40}$/.test(named)) {
    return `give the bucket's region: it is ${named} (?region=${named})`;
  }
  if (/region is missing/i.test(message)) {
    return region;
  }
  if (/^KMS\.|\bkms:/i.test(`${name} ${message}`)) {
    return key;
  }
  return /object lock|legal hold|retention|WORM/i.test(message) ? lock : usual;
}

/** Returns "perhaps" for a 404 without a reason, such as an answer to HEAD. */
export function isMissingObject(error: unknown): boolean | "perhaps" {
  const { name = "", $metadata } = error as S3Error;
  if (["NoSuchKey", "NoSuchBucket"].includes(name)) {
    return true;
  }
  return $metadata?.httpStatusCode === 404 ? "perhaps" : false;
}
