import {
  type ImageStore,
  imageConfigMediaType,
  imageLayerMediaType,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
  putEmptyBlob,
  putJsonBlob,
} from "../../storage/imageStore";
import { archiveContentTypes } from "../archive/format";
import { storedGzip } from "../archive/storedGzip";
import { type ContentHashAndSize, measureContent } from "../transfer/measureContent";
import type { IncomingArchive } from "../transfer/openArchive";
import { withTemporaryFile } from "../transfer/temporaryFile";
import { archiveFileNames } from "./fileNames";
import type { OuterFolderDecision, SiteSource } from "./outerFolder";
import { withSiteLayer } from "./siteLayer";

/** Sets no tag. */
type StoreContent = (
  source: SiteSource,
  incoming: IncomingArchive,
  store: ImageStore,
  signal: AbortSignal,
  /** True if this mirror has never published to the repository. */
  isFirst: boolean,
) => Promise<StoredContent>;

interface StoredContent {
  archive: ContentHashAndSize;
  manifest: OciManifest | OciIndex;
  outerFolder?: OuterFolderDecision;
}

const archiveType = "application/vnd.pulumi-docs-platform.bundle.v1";

export const storeArchive: StoreContent = async ({ jobId }, { format, content }, store, signal, isFirst) => {
  const empty = await putEmptyBlob(store, signal);
  if (isFirst) {
    const layer = { ...empty, mediaType: archiveContentTypes[format] };
    await store.requireAccepted?.({ artifactType: archiveType, config: empty, layers: [layer] }, signal);
  }
  const measure = new LateMeasure();
  await store.putBlob(() => content(measure.set), measure.digest, signal);
  const title = { "org.opencontainers.image.title": archiveFileNames(jobId, format).archive };
  const layer = { ...measure.descriptor(archiveContentTypes[format]), annotations: title };
  return { archive: measure.value, manifest: { artifactType: archiveType, config: empty, layers: [layer] } };
};

/** The files are the same for every architecture, but a runtime unpacks only an image for its own architecture. */
const architectures = ["amd64", "arm64"] as const;

/** The unpacked site is the only layer of an image. An index lists the image for each architecture. */
export const storeSiteAsImage: StoreContent = async (source, incoming, store, signal) => {
  await store.requireUpload?.(signal);
  const { format } = incoming;
  const { jobId, status } = source;
  const archive = new LateMeasure();
  return withTemporaryFile(incoming.content(archive.set), incoming.expectedBytes, async (file) => {
    status(`verifying the archive, mirroring job ${jobId}`);
    const [tar, layer] = [new LateMeasure(), new LateMeasure()];
    return withSiteLayer(file, format, source, signal, async (content, { files, outerFolder }) => {
      status(`pushing ${files} files, mirroring job ${jobId}`);
      const zipped = () => storedGzip(measureContent(content(), tar.set));
      await store.putBlob(() => measureContent(zipped(), layer.set), layer.digest, signal);
      const manifests: OciDescriptor[] = [];
      for (const architecture of architectures) {
        const platform = { architecture, os: "linux" };
        const described = { ...platform, config: {}, rootfs: { type: "layers", diff_ids: [tar.digest()] } };
        const config = await putJsonBlob(store, imageConfigMediaType, described, signal);
        const layers = [layer.descriptor(imageLayerMediaType)];
        manifests.push({ ...(await store.putManifest({ config, layers }, signal)), platform });
      }
      return { archive: archive.value, manifest: { manifests }, outerFolder };
    });
  });
};

class LateMeasure {
  value: ContentHashAndSize = { sha256: "", sizeBytes: 0 };
  readonly set = (measure: ContentHashAndSize): void => {
    this.value = measure;
  };
  readonly digest = (): string => `sha256:${this.value.sha256}`;

  descriptor(mediaType: string): OciDescriptor {
    return { mediaType, digest: this.digest(), size: this.value.sizeBytes };
  }
}
