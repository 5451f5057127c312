import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BundleMirrorInputs } from "../../../provider/definitions/bundleMirror";
import { mirrored, mirrorWorld } from "../../support/mirror/mirrorWorld";
import { storageReply } from "../../support/mirror/storage";
import { temporaryFolder } from "../../support/temporaryFolder";
import { filesOf } from "../chart/archives";
import type { DrawnSite } from "./drawnSite";

export async function publishSite(
  archive: Buffer,
  { outerFolder }: Pick<DrawnSite, "outerFolder">,
  destination: string,
): Promise<void> {
  const world = await mirrorWorld([storageReply(archive)]);
  const more: Partial<BundleMirrorInputs> = outerFolder === "" ? {} : { outerFolder };
  await mirrored(world, { destination, layout: "site", ...more });
}

/** Returns the files in the image's layer. */
export async function filesOfImage(
  archive: Buffer,
  site: Pick<DrawnSite, "outerFolder">,
): Promise<Map<string, string>> {
  const folder = temporaryFolder();
  await publishSite(archive, site, pathToFileURL(folder).href.replace("file:", "oci-layout:"));
  const blob = (digest: string) => readFileSync(join(folder, "blobs", ...digest.split(":")));
  const json = (digest: string) => JSON.parse(blob(digest).toString());
  const { manifests } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  for (const { digest } of manifests) {
    const [image] = json(digest).manifests ?? [];
    if (image !== undefined) {
      const [layer] = json(image.digest).layers;
      const entries = await filesOf(blob(layer.digest));
      return new Map([...entries].filter(([path]) => !path.endsWith("/")));
    }
  }
  throw new Error(`no image in ${folder}`);
}
