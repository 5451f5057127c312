import { DestinationError } from "../support/errors";

/** The parts of the AWS SDK that a mirror to S3 uses. */
export interface S3Sdk {
  s3: typeof import("@aws-sdk/client-s3");
  storage: typeof import("@aws-sdk/lib-storage");
}

/**
 * Loads the AWS SDK, which is beside this package only where a program mirrors to S3.
 * @throws DestinationError that names the command which installs it.
 */
export function loadS3Sdk(): S3Sdk {
  try {
    return { s3: require("@aws-sdk/client-s3"), storage: require("@aws-sdk/lib-storage") };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") {
      throw new DestinationError({
        happened: "a mirror to S3 needs the AWS SDK, which is not installed beside this package.",
        remedy: "run `npm install @aws-sdk/client-s3 @aws-sdk/lib-storage`, then `pulumi up` again.",
      });
    }
    throw error;
  }
}
