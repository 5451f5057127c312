import * as pulumi from "@pulumi/pulumi";
import { isOfKind, pauseStackTraces, propertiesOf, typeOf } from "./resource";

const kind = "BundleMirror";

/** What a {@link BundleMirror} is made of. */
export interface BundleMirrorArgs {
  /**
   * Identifier of a completed job, usually `StaticExport.jobId`. A change replaces an archive, so that the old one stays
   * until everything that depends on it was updated; a site is updated in place.
   */
  jobId: pulumi.Input<string>;
  /**
   * Where the bundle is put: `file:///folder`, which belongs to the machine of the run (or is shared by all that run),
   * or `s3://bucket/prefix?region=…&endpoint=…`, without credentials: the AWS SDK (`@aws-sdk/client-s3`, installed beside
   * this package) finds them. A change replaces the mirror.
   */
  destination: pulumi.Input<string>;
  /**
   * The sha256 that the archive must have, in hexadecimal digits. Where it has another one, nothing of it is left at the
   * destination. Default: any is taken, and told by `sha256`.
   */
  expectedSha256?: pulumi.Input<string> | undefined;
  /**
   * `"archive"` for the archive as one object with a manifest and a checksum beside it; `"site"` for its files, for any
   * static host or CDN. A change replaces the mirror. Default: `"archive"`.
   */
  layout?: pulumi.Input<"archive" | "site"> | undefined;
  /**
   * Where the destination is reached by those who read it, such as `https://cdn.example.com/docs`. Default: none, `url`
   * is the destination's own address.
   */
  publicUrl?: pulumi.Input<string> | undefined;
  /**
   * Whether a site may be published at a place that holds files of others. They stay as they are, also when the mirror is
   * destroyed: a site with a file of the same name, in whatever case, is refused. A change alone is no transfer. Default:
   * false, a place with files of others is refused before anything is fetched. An archive needs no empty place: it is
   * refused only where a file of others has one of its three names.
   */
  allowExisting?: pulumi.Input<boolean> | undefined;
  /**
   * The most that the archive may have, in bytes: a whole number above zero. A larger one is refused as soon as that
   * shows, and nothing of it is left at the destination. A change alone is no transfer. Default: 8589934592 (8 GiB), which
   * is also the most that a site may unpack to.
   */
  maxBytes?: pulumi.Input<number> | undefined;
  /**
   * How long a transfer of the archive may take, as a Go duration above zero (`"90s"`, `"1h30m"`). When it ends, nothing
   * of the archive is left at the destination, and the next `pulumi up` begins anew. A change alone is no transfer.
   * Default: `"30m"`, in which 8 GiB come at 40 Mbit/s.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
}

/**
 * A copy of a job's bundle where it stays: in a folder or a bucket, at an address without a signature, which no renewal
 * changes. `pulumi up` mints a link ("Generate export bundle" in the API text), streams the archive once, and looks at
 * nothing while nothing changes. `refresh` looks whether the copy is still there and the same, without a transfer, and the
 * next `up` mends it. `destroy` removes it, unless `retainOnDelete` is set.
 *
 * Nothing is overwritten or removed that a mirror has not written. Mirrors of one job, with the same bytes, such as
 * those of two stacks, share a place, and the last one removes them; any other one is refused.
 */
export class BundleMirror extends pulumi.CustomResource {
  /** The stable address of the archive, or of the site: below `publicUrl`, else by https, else of the file. */
  declare readonly url: pulumi.Output<string>;
  /** Of the archive, in lower-case hexadecimal digits. */
  declare readonly sha256: pulumi.Output<string>;
  /** Of the archive, in bytes. */
  declare readonly sizeBytes: pulumi.Output<number>;
  /** Of the archive, by its first bytes: `tar.gz`, `tar` or `zip`. */
  declare readonly format: pulumi.Output<string>;
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the job id. */
  declare readonly version: pulumi.Output<string>;
  /** When the bundle was put there, by the clock of the machine that did it; ISO 8601 in UTC. */
  declare readonly mirroredAt: pulumi.Output<string>;
  /** As given, or `archive`. */
  declare readonly layout: pulumi.Output<"archive" | "site">;

  /** True for a BundleMirror, also of another copy of this package. */
  static override isInstance(value: unknown): value is BundleMirror {
    return isOfKind(value, kind);
  }

  constructor(name: string, args: BundleMirrorArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = {
      url: undefined,
      sha256: undefined,
      sizeBytes: undefined,
      format: undefined,
      version: undefined,
      mirroredAt: undefined,
      layout: undefined,
    };
    const resumeStackTraces = pauseStackTraces();
    try {
      super(typeOf(kind), name, propertiesOf(kind, name, { ...outputs, ...args }, opts), opts);
    } finally {
      resumeStackTraces();
    }
  }
}
