import {
  type FoundManifest,
  type ImageStore,
  manifestDigest,
  mediaTypeOf,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
} from "../../storage/imageStore";
import { asDocsPlatformError, DestinationError } from "../../support/errors";
import { readPackageVersion } from "../../support/packageFacts";
import { formatIsoTime } from "../../support/time/duration";
import { words } from "../../support/words";
import { hasValidSignature, signRecord } from "../signing/recordSignature";
import {
  findMissingSignatureReason,
  type PublicKeyInState,
  requireSignatureSupport,
  signImage,
  unsignImage,
  type WantedAndEarlierKeys,
} from "../signing/signImage";
import type { InTotoStatement } from "../signing/sigstoreBundle";
import { openArchive } from "../transfer/openArchive";
import { formatFileListName, type LayoutName, siteFileListName } from "./fileNames";
import { storeArchive, storeSiteAsImage } from "./imageContent";
import { imageTagOf, mirrorRecordTagOf } from "./imageTags";
import { Mirror, type MirroredContent, type MirrorInspectionResult, type PublishResult } from "./mirror";
import { type MirroredImageRecord, putMirroredImageRecord, readMirroredImageRecord } from "./mirroredImageRecord";
import { filesOfOthersError, type MirrorOwner } from "./mirrorOwner";
import { type MirroredArchiveFields, toMirrorRecordFields } from "./mirrorRecordFields";
import type { SiteSource } from "./outerFolder";

const remedy = "remove this tag, or give another repository";

/**
 * Stores a bundle as one image. The whole image becomes visible in one step, when its tag refers to it. A record under
 * a second tag names the owner. An earlier image loses the tag. As long as the registry keeps untagged images, pods can
 * still pull the earlier image by its digest.
 */
export class ImageMirror extends Mirror<MirroredImageRecord> {
  readonly #tag: string;

  constructor(
    private readonly store: ImageStore,
    owner: MirrorOwner,
    private readonly layout: LayoutName,
  ) {
    const tag = imageTagOf(layout, owner.jobId);
    // In the state, the record of an image has the same name as the file list of a mirror in a bucket.
    const nameInState = layout === "site" ? siteFileListName : formatFileListName(owner.jobId);
    super(owner, store.reference(`:${mirrorRecordTagOf(tag)}`), nameInState, remedy);
    this.#tag = tag;
  }

  async put(source: SiteSource, signal: AbortSignal, signing?: WantedAndEarlierKeys): Promise<PublishResult> {
    const { store } = this;
    const { record } = await this.#findFree();
    if (signing?.wanted !== undefined && record?.signature === undefined) {
      await requireSignatureSupport(store, signal);
    }
    const incoming = await openArchive(source);
    const storeContent = this.layout === "site" ? storeSiteAsImage : storeArchive;
    const stored = await storeContent(source, incoming, store, signal, record === undefined);
    const { archive, manifest, outerFolder } = stored;
    const facts = { format: incoming.format, ...archive, mirroredAt: formatIsoTime(source.clock.now()) };
    const { digest } = await this.#findFree(manifest);
    return { ...(await this.#publish(digest, facts, manifest, signal, signing)), outerFolder };
  }

  override async sign(
    mirrored: MirroredContent,
    signing: WantedAndEarlierKeys,
    signal: AbortSignal,
  ): Promise<MirroredContent> {
    const { store } = this;
    const { record, isOwn } = await this.find();
    const key = signing.wanted;
    // Anyone who may write the state could name any image there. So the record must name the same image, and must have
    // a signature with the wanted key.
    if (
      !isOwn ||
      record?.digest !== mirrored.digest ||
      (key !== undefined && !(record && hasValidSignature(record, key)))
    ) {
      throw notSigned(store, mirrored, "is not the one that this mirror has published, by the record beside its tag");
    }
    const found = await store.getManifest(String(mirrored.digest));
    if (found === undefined || !(await isWhole(found, store))) {
      throw notSigned(store, mirrored, found === undefined ? "is missing" : "is missing a part");
    }
    const subject = { mediaType: mediaTypeOf(found.manifest ?? {}), digest: found.digest, size: found.size };
    return { ...mirrored, signed: await this.#sign(subject, mirrored, signing, signal) };
  }

  address({ digest }: MirroredContent): string {
    return this.store.reference(`@${digest}`);
  }

  protected readRecord(): Promise<MirroredImageRecord | "unreadable" | undefined> {
    return readMirroredImageRecord(this.store, this.#tag);
  }

  protected writeRecord(record: MirroredImageRecord, signal: AbortSignal): Promise<void> {
    return putMirroredImageRecord(this.store, this.#tag, record, signal);
  }

  protected async hasContent(): Promise<boolean> {
    return (await this.store.getManifest(this.#tag)) !== undefined;
  }

  protected async compare(record: MirroredImageRecord, mirrored: MirroredContent): Promise<MirrorInspectionResult> {
    const { digest, signed } = mirrored;
    const { store } = this;
    const tag = this.#tag;
    const found = await store.getManifest(tag);
    if (found?.digest !== digest) {
      const what = found === undefined ? "the tag of the image is missing" : `the tag ${tag} points to another image`;
      return { kind: "differs", what };
    }
    if (found === undefined || !(await isWhole(found, store))) {
      return { kind: "differs", what: "a part of the image is missing" };
    }
    if (record.digest !== digest) {
      return { kind: "differs", what: `the record under ${mirrorRecordTagOf(tag)} names another image` };
    }
    const provenance = provenanceOf(record.jobId, mirrored, signed?.platform ?? "");
    const unsigned = signed && (await findMissingSignatureReason({ store, digest: found.digest, provenance }, signed));
    return { kind: "same", unsigned };
  }

  protected async removeContent(
    record: MirroredImageRecord,
    { digest, signed }: MirroredContent,
    warn: (text: string) => void,
  ): Promise<void> {
    const { store } = this;
    const tag = this.#tag;
    // If the tag refers neither to the image in the state nor to the image in the record, another program has moved the
    // tag, and the tag stays.
    const there = (await store.getManifest(tag))?.digest;
    const isOwn = there === digest || there === record.digest;
    const removed =
      (!isOwn || (await store.removeTag(tag))) &&
      (signed === undefined || (await unsignImage(store, String(digest), signed))) &&
      (await store.removeTag(mirrorRecordTagOf(tag)));
    if (!removed) {
      warn(`the registry does not allow the deletion of ${store.reference(`:${tag}`)}: it stays there.`);
    }
  }

  /**
   * Checks that this mirror may write to the tag. An existing tag that the state does not name must refer to the
   * expected image.
   * @param made the manifest of the expected image. By default, the image in the record is expected.
   * @returns the digest of the tag's image, or undefined if the tag does not exist.
   * @throws DestinationError if the tag belongs to another mirror, or refers to another image.
   */
  async #findFree(made?: OciManifest | OciIndex) {
    const { record } = await this.findOwn();
    const digest = (await this.store.getManifest(this.#tag))?.digest;
    const wanted = made ? manifestDigest(made) : record?.digest;
    if (digest !== undefined && !this.isInState && digest !== wanted) {
      throw filesOfOthersError([this.store.reference(`:${this.#tag}`)], remedy);
    }
    return { record, digest };
  }

  #sign(
    subject: OciDescriptor,
    facts: MirroredArchiveFields,
    signing: WantedAndEarlierKeys,
    signal: AbortSignal,
  ): Promise<PublicKeyInState | undefined> {
    const provenance = provenanceOf(this.owner.jobId, facts, signing.platform);
    const image = { store: this.store, digest: subject.digest, provenance };
    return signImage(image, subject, signing, facts.mirroredAt, signal);
  }

  /**
   * Signs the image first, so a failed signature changes neither the record nor the tag. Writes the record before it sets
   * the tag. So even after a kill, the tag has a record that shows the owner.
   */
  async #publish(
    earlierDigest: string | undefined,
    facts: MirroredArchiveFields,
    manifest: OciManifest | OciIndex,
    signal: AbortSignal,
    signing: WantedAndEarlierKeys | undefined,
  ): Promise<PublishResult> {
    const { owner, store } = this;
    const digest = manifestDigest(manifest);
    const signed = signing && (await this.#sign(await store.putManifest(manifest, signal), facts, signing, signal));
    const record = signRecord({ ...toMirrorRecordFields(owner, facts), digest }, signing?.wanted);
    await this.write(record, false, signal);
    try {
      if (earlierDigest !== digest) {
        await store.putManifest(manifest, signal, this.#tag);
      }
      if (owner.saved?.isReplaced) {
        await this.write(record, true, signal);
      }
      return { ...facts, digest, signed };
    } catch (error) {
      return { ...facts, digest, signed, stopped: asDocsPlatformError(error) };
    }
  }
}

function notSigned(store: ImageStore, { digest }: MirroredContent, why: string): DestinationError {
  return new DestinationError({
    happened: `the image ${store.reference(`@${digest}`)} ${why}: it was not signed`,
    remedy: `refresh the state; then run \`${words.run}\` again, which mirrors the bundle again.`,
  });
}

function provenanceOf(
  jobId: string,
  { format, sha256, sizeBytes }: MirroredArchiveFields,
  platform: string,
): InTotoStatement {
  return {
    predicateType: "https://github.com/pulumi-docs-platform/pulumi-docs-platform/mirror/v1",
    predicate: {
      platform,
      jobId,
      archive: { format, sha256, sizeBytes },
      tool: `pulumi-docs-platform ${readPackageVersion()}`,
    },
  };
}

async function isWhole({ manifest }: FoundManifest, store: ImageStore): Promise<boolean> {
  const images = manifest?.manifests
    ? await Promise.all(manifest.manifests.map(async ({ digest }) => (await store.getManifest(digest))?.manifest))
    : [manifest];
  const blobs = images.map((image) => (image?.config && image.layers ? [image.config, ...image.layers] : undefined));
  for (const digest of new Set(blobs.flat().map((blob) => blob?.digest))) {
    if (digest === undefined || !(await store.hasBlob(digest))) {
      return false;
    }
  }
  return true;
}
