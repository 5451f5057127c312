import * as pulumi from "@pulumi/pulumi";
import { bundleMirrorDefinition as definition } from "../provider/definitions/bundleMirror";
import { createRegistrationArgs, isResourceOfDefinition, pauseStackTraces } from "./resource";

/** The arguments of a {@link BundleMirror}. */
export interface BundleMirrorArgs {
  /**
   * Identifier of a completed job, usually `StaticExport.jobId`. With layout `archive`, a change replaces the mirror:
   * the old archive stays until the run has updated everything that depends on it. With layout `site`, a change updates
   * the mirror in place.
   */
  jobId: pulumi.Input<string>;
  /**
   * The address at which the mirror stores the bundle: `file:///folder` (a folder of the machine that runs Pulumi, or
   * one that all such machines share), `s3://bucket/prefix?region=…&endpoint=…`,
   * `azblob://account/container/prefix?endpoint=…`, `oci://registry/repository` (`?plainHttp=true` for a registry at a
   * loopback address), or `oci-layout:///folder` (an OCI image layout, which you can carry to another network; only one
   * run at a time may write to it). A change replaces the mirror.
   *
   * It contains no credentials. For S3 (`@aws-sdk/client-s3`, installed beside this package) the AWS SDK finds them, as
   * the AWS CLI does. For Azure Blob Storage (`@azure/storage-blob`, installed beside this package) they come from the
   * environment: `AZURE_STORAGE_CONNECTION_STRING`, `AZURE_STORAGE_KEY` or `AZURE_STORAGE_SAS_TOKEN`. For a registry
   * they come from the configuration of Docker or Podman (`docker login`).
   */
  destination: pulumi.Input<string>;
  /**
   * The sha256 that the archive must have, in hexadecimal digits. An archive with another sha256 fails the run and leaves
   * nothing at the destination. Default: none, and every archive is accepted.
   */
  expectedSha256?: pulumi.Input<string> | undefined;
  /**
   * `"archive"` stores the archive as one object, with a manifest and a checksum beside it. `"site"` stores the unpacked
   * files, for a static host or a CDN. In a registry, an archive is an artifact with a tag for its job; a site is an image
   * with the tag `latest`, which Kubernetes mounts as a volume. A change replaces the mirror. Default: `"archive"`.
   */
  layout?: pulumi.Input<"archive" | "site"> | undefined;
  /**
   * Whether the site's addresses contain the outer folder. An archive has an outer folder if there is only one folder
   * at its root, and this folder directly contains an `index.html`. `"remove"` publishes the files of the folder at the
   * site's root, beside any other files there. `"keep"` keeps the folder. Only for layout `site`. A change that has an
   * effect causes a transfer. Default: the first publication decides for all later publications. The folder is kept
   * only if the links between the pages contain the folder. If an archive does not fit the decision, the run fails
   * before the first write.
   */
  outerFolder?: pulumi.Input<"remove" | "keep"> | undefined;
  /**
   * The address at which readers reach the destination, such as `https://cdn.example.com/docs`. Not for a registry.
   * Default: the destination's own address.
   */
  publicUrl?: pulumi.Input<string> | undefined;
  /**
   * The largest size of the archive, in bytes: a whole number above zero. A larger archive fails the run and leaves
   * nothing at the destination. A change alone causes no transfer. Default: 8589934592 (8 GiB). The unpacked files of a
   * site may have at most 8 GiB, whatever this value is.
   */
  maxBytes?: pulumi.Input<number> | undefined;
  /**
   * The longest time for a transfer of the archive, as a Go duration above zero (`"90s"`, `"1h30m"`). After this time the
   * transfer fails and leaves nothing at the destination; the next `pulumi up` starts it again. A change alone causes no
   * transfer. Default: `"30m"`, enough for 8 GiB at 40 Mbit/s.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
  /**
   * `"bundle"` signs the image with the key of the setting `signingKeyFile` or `signingKeyCommand`. It adds two
   * referrers: a signature that cosign 3, Kyverno and Flux verify, and a statement that names the platform, the job and
   * the archive. `"none"` signs nothing, and is the only way to replace a signed image by an unsigned one. Only for a
   * registry or an image layout. A change alone causes no transfer. Default: with a key `"bundle"`, otherwise no
   * signature.
   */
  sign?: pulumi.Input<"bundle" | "none"> | undefined;
}

/**
 * A copy of a job's bundle in a folder, a bucket or a registry, at an address that never expires. `pulumi up` creates a link
 * ("Generate export bundle" in the API text) and streams the archive once. If nothing changes, `pulumi up` sends nothing.
 * `refresh` checks without a transfer whether the copy is complete and unchanged, and the next `up` repairs it. `destroy`
 * removes it, unless `retainOnDelete` is set.
 *
 * Only one mirror may own a destination: another one gets an error. A mirror never overwrites or removes a file that it has
 * not published. It adopts an existing file with the same bytes.
 */
export class BundleMirror extends pulumi.CustomResource {
  /**
   * The stable address of the archive or the site: below `publicUrl` if it is set, otherwise the https or file address. In a
   * registry it is the reference with its digest (`registry/repository@sha256:…`), in an image layout
   * `oci-layout:///folder@sha256:…`.
   */
  declare readonly url: pulumi.Output<string>;
  /** The sha256 of the archive, in lower-case hexadecimal digits. */
  declare readonly sha256: pulumi.Output<string>;
  /** The size of the archive, in bytes. */
  declare readonly sizeBytes: pulumi.Output<number>;
  /** The format of the archive: `tar.gz`, `tar`, `tar.zst` or `zip`. Any other format is an error. */
  declare readonly format: pulumi.Output<string>;
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the job id. */
  declare readonly version: pulumi.Output<string>;
  /** When the bundle was stored, by the clock of the machine that ran Pulumi; ISO 8601 in UTC. */
  declare readonly mirroredAt: pulumi.Output<string>;
  /** The digest of the image or the artifact (`sha256:…`); undefined in a folder or a bucket. */
  declare readonly digest: pulumi.Output<string | undefined>;
  /** The sha256 of the public key (SPKI DER) that verifies the image's signature, in Base64; undefined if nothing is signed. */
  declare readonly signedBy: pulumi.Output<string | undefined>;
  /** The input `layout`; `archive` if the input is not set. */
  declare readonly layout: pulumi.Output<"archive" | "site">;

  /** Returns true for a BundleMirror, also if another copy of this package has made it. */
  static override isInstance(value: unknown): value is BundleMirror {
    return isResourceOfDefinition(value, definition);
  }

  constructor(name: string, args: BundleMirrorArgs, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...createRegistrationArgs(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
