import { describeFault, isNetworkFault } from "../../network/connectionFault";
import { entryOf } from "../../support/entryOf";
import { anotherTry, type StorageFault } from "../attempt";

const credentials = "correct the credentials that the AWS SDK finds (AWS_PROFILE, AWS_ACCESS_KEY_ID, a role)";
const region = "give the bucket's region as ?region= in its s3:// address, or as AWS_REGION in the environment";
const permission =
  "allow these credentials s3:PutObject, s3:GetObject, s3:DeleteObject and s3:AbortMultipartUpload on the objects, and s3:ListBucket on the bucket";

const remedies: Readonly<Record<string, string>> = {
  NoSuchBucket: "create the bucket, or correct the destination",
  AccessDenied: permission,
  InvalidAccessKeyId: credentials,
  SignatureDoesNotMatch: credentials,
  ExpiredToken: credentials,
  CredentialsProviderError: credentials,
  PermanentRedirect: region,
  AuthorizationHeaderMalformed: region,
};

/** The remedies for answers that have only a status, such as answers to HEAD. */
const remediesByStatus: Readonly<Record<number, string>> = { 301: region, 403: permission };

interface S3Error {
  name?: string;
  message?: string;
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
  $response?: { headers?: Record<string, string | undefined> };
}

const passing: readonly string[] = ["RequestTimeout", "RequestTimeTooSkewed", "SlowDown", "InternalError"];

export function explainS3Fault(error: unknown): StorageFault | undefined {
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
  const next = anotherTry(status, (header) => $response?.headers?.[header]);
  return {
    ...next,
    // The SDK corrects its clock by the answer to a request that was too early or too late.
    mayPass: next.mayPass || passing.includes(name) || $metadata?.clockSkewCorrected === true,
    why: told.length > 0 ? told.join(", ") : describeFault(error),
    remedy: /region is missing/i.test(message) ? region : (entryOf(remedies, name) ?? remediesByStatus[status ?? 0]),
  };
}

/** Whether S3 says that an object, or its bucket, does not exist. The answer to HEAD contains no reason. */
export function isMissingObject(error: unknown): boolean | "perhaps" {
  const { name = "", $metadata } = error as S3Error;
  if (["NoSuchKey", "NoSuchBucket"].includes(name)) {
    return true;
  }
  return $metadata?.httpStatusCode === 404 ? "perhaps" : false;
}
