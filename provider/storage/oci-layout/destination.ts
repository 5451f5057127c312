import { fileScheme } from "../file/destination";
import type { DestinationScheme } from "../scheme";

/** An OCI image layout: a folder of images that can be transported on a disk. */
export interface OciLayoutDestination {
  kind: "oci-layout";
  folder: string;
}

export const ociLayoutScheme: DestinationScheme<OciLayoutDestination> = {
  example: "oci-layout:///absolute/folder",
  holds: "images",
  credentials: "the permissions of this user apply",
  parse: ({ url, ...rest }) => {
    const parsed = fileScheme.parse({ ...rest, url: new URL(url.href.replace(/^oci-layout:/i, "file:")) });
    return "problem" in parsed
      ? { problem: parsed.problem.replace("file:", "oci-layout:") }
      : { kind: "oci-layout", folder: parsed.folder };
  },
};
