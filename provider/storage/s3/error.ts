import { faultRemedy } from "../../network/connectionFault";
import { DestinationError, DocsPlatformError } from "../../support/errors";
import { words } from "../../support/words";
import type { S3Destination } from "../destination";

const credentials = "correct the credentials that the AWS SDK finds (AWS_PROFILE, AWS_ACCESS_KEY_ID, a role)";
const region = "give the bucket's region as ?region= in its s3:// address, or as AWS_REGION in the environment";
const permission =
  "allow these credentials s3:PutObject, s3:GetObject, s3:DeleteObject and s3:AbortMultipartUpload on the objects, and s3:ListBucket on the bucket";

/** What to do about the errors that S3 and its SDK have names for. */
const remedies: Readonly<Record<string, string>> = {
  NoSuchBucket: "make the bucket, or correct the destination",
  AccessDenied: permission,
  InvalidAccessKeyId: credentials,
  SignatureDoesNotMatch: credentials,
  ExpiredToken: credentials,
  CredentialsProviderError: credentials,
  PermanentRedirect: region,
  AuthorizationHeaderMalformed: region,
};

/** The same for answers that have only a status, such as those to HEAD. */
const remediesByStatus: Readonly<Record<number, string>> = { 301: region, 403: permission };

interface Fault {
  name?: string;
  message?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Converts an error of S3, of its SDK or of the network. */
export function asS3Error(error: unknown, destination: S3Destination): DocsPlatformError {
  if (error instanceof DocsPlatformError) {
    return error;
  }
  const { happened, remedy } = describeS3Fault(error, destination);
  return new DestinationError({ happened, remedy: `${remedy}; then run \`${words.run}\` again.` });
}

/** What happened, and what to do about it. */
export function describeS3Fault(
  error: unknown,
  { bucket, endpoint }: S3Destination,
): { happened: string; remedy: string } {
  const { name = "", message = "", code = "", $metadata } = error as Fault;
  const status = $metadata?.httpStatusCode;
  const told = [
    name === "Error" || name === "Unknown" ? code : name,
    message === "UnknownError" ? "" : message,
    status === undefined ? "" : `HTTP ${status}`,
  ];
  const at = endpoint === undefined ? "" : ` at ${new URL(endpoint).host}`;
  const remedy = /region is missing/i.test(message)
    ? region
    : (remedies[name] ?? remediesByStatus[status ?? 0] ?? faultRemedy(error));
  return {
    happened: `the bucket ${bucket}${at} cannot be used: ${told.filter((word) => word !== "").join(", ")}`,
    remedy: remedy ?? "check the destination, the network and the credentials",
  };
}

/** Whether S3 says that an object, or its bucket, does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && ["NoSuchKey", "NoSuchBucket"].includes(error.name);
}

/** Whether a HEAD was answered with 404. Its answer contains no reason. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && (error as Fault).$metadata?.httpStatusCode === 404;
}
