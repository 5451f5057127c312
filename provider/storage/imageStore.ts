import { hash } from "node:crypto";

export interface OciDescriptor {
  mediaType: string;
  digest: string;
  size: number;
  artifactType?: string;
  annotations?: Record<string, string>;
  platform?: { architecture: string; os: string };
}

export interface OciManifest {
  artifactType?: string;
  config: OciDescriptor;
  layers: readonly OciDescriptor[];
  subject?: OciDescriptor;
  annotations?: Record<string, string>;
}

/** A manifest that refers to another one, its subject. An example is a signature. */
export type Referrer = OciManifest & { artifactType: string; subject: OciDescriptor };

export interface OciIndex {
  manifests: readonly OciDescriptor[];
}

export const imageManifestMediaType = "application/vnd.oci.image.manifest.v1+json";
export const imageConfigMediaType = "application/vnd.oci.image.config.v1+json";
export const imageLayerMediaType = "application/vnd.oci.image.layer.v1.tar+gzip";
export const imageIndexMediaType = "application/vnd.oci.image.index.v1+json";

/** Only the digest and the size are verified. The fields of the manifest may contain anything. */
export interface FoundManifest {
  digest: string;
  size: number;
  manifest: (Partial<OciManifest> & Partial<OciIndex>) | undefined;
}

/**
 * A repository of a registry, or an image layout. Methods throw errors of `support/errors`, or an error that the given
 * content throws.
 */
export interface ImageStore {
  /**
   * Stores content as a blob, completely or not at all.
   * @param open is called again if the content must be sent again.
   * @param digest is called after the last byte.
   */
  putBlob(open: () => AsyncIterable<Buffer>, digest: () => string, signal: AbortSignal): Promise<void>;
  putBytes(mediaType: string, bytes: Buffer, signal?: AbortSignal): Promise<OciDescriptor>;
  /**
   * The listed blobs and manifests must already be stored. Without a tag, the manifest has only its digest as a name.
   */
  putManifest(manifest: OciManifest | OciIndex, signal?: AbortSignal, tag?: string): Promise<OciDescriptor>;
  /** Checks, before a transfer, that a registry has the repository and accepts uploads to it. */
  requireUpload?(signal: AbortSignal): Promise<void>;
  /**
   * Checks that a registry accepts the types in this manifest. The check stores the manifest without a tag, so the
   * manifest's blobs must already be stored.
   */
  requireAccepted?(manifest: OciManifest, signal: AbortSignal): Promise<void>;
  /** Returns undefined if the manifest is missing, or if its content does not match the digest. */
  getManifest(tag: string): Promise<FoundManifest | undefined>;
  hasBlob(digest: string): Promise<boolean>;
  /** Returns undefined if the blob is missing, or if its content does not match its digest. */
  readBlob(digest: string): Promise<Buffer | undefined>;
  /** Stores a manifest that tools can find by its subject. */
  putReferrer(referrer: Referrer, signal: AbortSignal): Promise<void>;
  /** Returns the unverified descriptors of the manifests with this subject. */
  referrers(subject: string): Promise<Partial<OciDescriptor>[]>;
  /** @returns true if the registry allows the removal. */
  removeReferrer(subject: string, digest: string, signal?: AbortSignal): Promise<boolean>;
  /** A missing tag is no error. Returns true if the registry allows the removal. */
  removeTag(tag: string, signal?: AbortSignal): Promise<boolean>;
  /** Returns a manifest's full name for image tools. The suffix is a tag (`:tag`) or a digest (`@sha256:…`). */
  reference(suffix: string): string;
  close(): void;
}

/** The list may be unverified JSON. */
export function descriptorsIn(list: unknown): Partial<OciDescriptor>[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry?.digest === "string") : [];
}

export function manifestDigest(manifest: OciManifest | OciIndex): string {
  return digestOf(encodeManifest(manifest));
}

export function encodeManifest(manifest: OciManifest | OciIndex): Buffer {
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypeOf(manifest), ...manifest }));
}

export function mediaTypeOf(manifest: object): string {
  return "manifests" in manifest ? imageIndexMediaType : imageManifestMediaType;
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${hash("sha256", bytes)}`;
}

export function putJsonBlob(
  store: ImageStore,
  mediaType: string,
  value: unknown,
  signal?: AbortSignal,
): Promise<OciDescriptor> {
  return store.putBytes(mediaType, Buffer.from(JSON.stringify(value)), signal);
}

/** By the image specification, an artifact without content refers to this blob. */
export function putEmptyBlob(store: ImageStore, signal: AbortSignal): Promise<OciDescriptor> {
  return putJsonBlob(store, "application/vnd.oci.empty.v1+json", {}, signal);
}
