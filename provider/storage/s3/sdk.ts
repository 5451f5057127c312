import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";

/** The AWS SDK for S3. */
export type S3Sdk = typeof import("@aws-sdk/client-s3");

/** Nothing defines it but a bundle, which holds every library. */
declare const IS_BUNDLE: true | undefined;

const install = "run `npm install @aws-sdk/client-s3`";

/** What a bucket lacks here, as the end of a sentence about it; undefined where the AWS SDK is there. Does not load it. */
export function missingS3Sdk(): string | undefined {
  return hasS3Sdk() ? undefined : `needs the AWS SDK beside this package: ${install}`;
}

function hasS3Sdk(): boolean {
  if (typeof IS_BUNDLE !== "undefined") {
    return true;
  }
  try {
    require.resolve("@aws-sdk/client-s3");
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the AWS SDK, which a program installs beside this package only if it needs S3.
 * @throws DestinationError with the command that installs it.
 */
export function loadS3Sdk(): S3Sdk {
  try {
    return require("@aws-sdk/client-s3");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") {
      throw new DestinationError({
        happened: "a mirror to S3 needs the AWS SDK, which is not installed beside this package.",
        remedy: `${install}, then \`${words.run}\` again.`,
      });
    }
    throw error;
  }
}
