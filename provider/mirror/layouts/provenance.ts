import { packageVersion } from "../../support/packageFacts";
import type { Statement } from "../signing/bundle";
import type { ArchiveFacts } from "./record";

export function provenanceOf(jobId: string, { format, sha256, sizeBytes }: ArchiveFacts, platform: string): Statement {
  return {
    predicateType: "https://github.com/pulumi-docs-platform/pulumi-docs-platform/mirror/v1",
    predicate: {
      platform,
      jobId,
      archive: { format, sha256, sizeBytes },
      tool: `pulumi-docs-platform ${packageVersion()}`,
    },
  };
}
