import { DestinationError } from "../../../support/errors";

/** The AWS SDK for S3. */
export type S3Sdk = typeof import("@aws-sdk/client-s3");

/** Whether the AWS SDK is beside this package, without loading it. */
export function hasS3Sdk(): boolean {
  try {
    require.resolve("@aws-sdk/client-s3");
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the AWS SDK, which is beside this package only where a program mirrors to S3.
 * @throws DestinationError that names the command which installs it.
 */
export function loadS3Sdk(): S3Sdk {
  try {
    return require("@aws-sdk/client-s3");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") {
      throw new DestinationError({
        happened: "a mirror to S3 needs the AWS SDK, which is not installed beside this package.",
        remedy: "run `npm install @aws-sdk/client-s3`, then `pulumi up` again.",
      });
    }
    throw error;
  }
}
