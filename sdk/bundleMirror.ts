import * as pulumi from "@pulumi/pulumi";
import { bundleMirrorDefinition as definition } from "../provider/definitions/bundleMirror";
import { isOfKind, pauseStackTraces, registration } from "./resource";

/** The arguments of a {@link BundleMirror}. */
export interface BundleMirrorArgs {
  /**
   * Identifier of a completed job, usually `StaticExport.jobId`. A change replaces an archive: the old one stays until
   * everything that depends on it is updated. A change updates a site in place.
   */
  jobId: pulumi.Input<string>;
  /**
   * The place where the bundle is stored: `file:///folder`, a folder of the machine that runs Pulumi (or one that all such
   * machines share), `s3://bucket/prefix?region=…&endpoint=…`, `azblob://account/container/prefix?endpoint=…`, or
   * `oci://registry/repository`, or `oci-layout:///folder`, an OCI image layout that is carried elsewhere, with one run at a
   * time. It contains no credentials. For a bucket the AWS SDK (`@aws-sdk/client-s3`, installed beside this package)
   * finds them, as the AWS CLI does. For Azure Blob Storage (`@azure/storage-blob`, installed beside this package) the environment
   * has them (`AZURE_STORAGE_CONNECTION_STRING`, `AZURE_STORAGE_KEY` or `AZURE_STORAGE_SAS_TOKEN`). For a registry the Docker
   * or Podman configuration has them (`docker login`). `?plainHttp=true` reaches a registry at a loopback address. A change replaces the
   * mirror.
   */
  destination: pulumi.Input<string>;
  /**
   * The sha256 that the archive must have, in hexadecimal digits. If it has another one, nothing of it stays at the
   * destination. Default: any archive is accepted, and the output `sha256` contains its value.
   */
  expectedSha256?: pulumi.Input<string> | undefined;
  /**
   * `"archive"` stores the archive as one object with a manifest and a checksum beside it. `"site"` stores its unpacked
   * files, for any static host or CDN. In a registry, an archive is an artifact under a tag of its job, and a site is an image
   * under the tag `latest`, which Kubernetes mounts as a volume. A change replaces the mirror. Default: `"archive"`.
   */
  layout?: pulumi.Input<"archive" | "site"> | undefined;
  /**
   * Whether a single folder around the whole site in the archive is removed from the addresses: `"remove"` or `"keep"`. Files
   * beside that folder stay at the root. Only for layout `site`. Default: the first publication decides, and every later one
   * keeps that: the folder is removed unless the pages address each other through it. An archive that contradicts it is
   * refused before the first write. A change that has an effect causes a transfer.
   */
  outerFolder?: pulumi.Input<"remove" | "keep"> | undefined;
  /**
   * The address at which readers reach the destination, such as `https://cdn.example.com/docs`. Not for a registry.
   * Default: none, `url` is the destination's own address.
   */
  publicUrl?: pulumi.Input<string> | undefined;
  /**
   * The largest size of the archive, in bytes: a whole number above zero. A larger archive is refused as soon as its size
   * is known, and nothing of it stays at the destination. A change alone causes no transfer. Default: 8589934592 (8 GiB),
   * which is also the largest unpacked size of a site.
   */
  maxBytes?: pulumi.Input<number> | undefined;
  /**
   * The longest time for a transfer of the archive, as a Go duration above zero (`"90s"`, `"1h30m"`). After it, the
   * transfer fails, nothing of the archive stays at the destination, and the next `pulumi up` starts again. A change alone
   * causes no transfer. Default: `"30m"`, enough for 8 GiB at 40 Mbit/s.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
  /**
   * How the image is signed, with the key of the setting `signingKeyFile` or `signingKeyCommand`: `"bundle"` adds two referrers to
   * the image, a signature that cosign 3, Kyverno and Flux verify, and a statement of platform, job and archive; `"none"` signs
   * nothing. A change alone causes no transfer. Only for a destination in a registry or an image layout. Default: with a key
   * `"bundle"`, without one nothing is signed. An image that was signed is not replaced by an unsigned one unless this is `"none"`.
   */
  sign?: pulumi.Input<"bundle" | "none"> | undefined;
}

/**
 * A lasting copy of a job's bundle in a folder, a bucket or a registry, at an address without a signature that never changes.
 * `pulumi up` mints a link ("Generate export bundle" in the API text) and streams the archive once. While nothing changes,
 * `pulumi up` sends nothing. `refresh` checks without a transfer whether the copy is still there and unchanged, and the
 * next `up` repairs it. `destroy` removes it, unless `retainOnDelete` is set.
 *
 * A place has one owner: this resource, through replacements. Another mirror is refused. A mirror never
 * overwrites or removes a file that it has not published. An existing file with the same bytes is adopted.
 */
export class BundleMirror extends pulumi.CustomResource {
  /**
   * The stable address of the archive or of the site: below `publicUrl` if it is set, otherwise the https or file address; in a
   * registry the reference with its digest (`registry/repository@sha256:…`), in an image layout `oci-layout:///folder@sha256:…`.
   */
  declare readonly url: pulumi.Output<string>;
  /** The sha256 of the archive, in lower-case hexadecimal digits. */
  declare readonly sha256: pulumi.Output<string>;
  /** The size of the archive, in bytes. */
  declare readonly sizeBytes: pulumi.Output<number>;
  /**
   * The format of the archive, by its first bytes: `tar.gz`, `tar`, `tar.zst` or `zip`. Any other bundle is an error.
   */
  declare readonly format: pulumi.Output<string>;
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the job id. */
  declare readonly version: pulumi.Output<string>;
  /** When the bundle was stored, by the clock of the machine that ran Pulumi; ISO 8601 in UTC. */
  declare readonly mirroredAt: pulumi.Output<string>;
  /** The digest of the image or the artifact in a registry (`sha256:…`): undefined at any other destination. */
  declare readonly digest: pulumi.Output<string | undefined>;
  /**
   * The key that signed the image: the sha256 of its public part (SPKI DER), in Base64; undefined for an image that is not
   * signed, and at any other destination.
   */
  declare readonly signedBy: pulumi.Output<string | undefined>;
  /** The layout as given, or `archive`. */
  declare readonly layout: pulumi.Output<"archive" | "site">;

  /** True for a BundleMirror, also of another copy of this package. */
  static override isInstance(value: unknown): value is BundleMirror {
    return isOfKind(value, definition);
  }

  constructor(name: string, args: BundleMirrorArgs, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...registration(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
