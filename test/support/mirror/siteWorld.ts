import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import type { Files } from "../../unit/provider/mirror/archive/archives";
import { folderForTemporaryFiles } from "../temporaryFolder";
import { throwingLifecycles } from "../throwingLifecycles";
import { type MirrorWorld, mirrored, mirrorWorld } from "./mirrorWorld";
import { contentIn, storageReply } from "./storage";

const { bundleMirror } = throwingLifecycles;

/** The mirror lists its files in this file. */
export const siteManifest = ".bundle-mirror.json";
export const first: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
  ["guide/old.html", "<h1>Old</h1>"],
  ["assets/style.css", "h1 { color: red }"],
];
export const second: Files = [
  ["index.html", "<h1>Two</h1>"],
  ["guide/start.html", "<h1>Start again</h1>"],
  ["assets/app.js", "alert(2)"],
];

export interface SiteWorld extends MirrorWorld {
  /** The folder for temporary files. It must be empty after the test. */
  temporary: string;
  publish(jobId: string, state?: BundleMirrorState): Promise<BundleMirrorState>;
}

/**
 * Makes the surroundings of a mirror that downloads these archives in order. Sets TMPDIR, which the test must reset.
 */
export async function siteWorld(...archives: [Buffer, ...Buffer[]]): Promise<SiteWorld> {
  const [one, ...others] = archives.map((archive) => storageReply(archive));
  const world = await mirrorWorld([one ?? storageReply(Buffer.alloc(0)), ...others]);
  const temporary = folderForTemporaryFiles();
  const site: BundleMirrorInputs = { ...world.inputs, layout: "site" };
  return {
    ...world,
    temporary,
    inputs: site,
    publish: (jobId, state) =>
      state === undefined
        ? mirrored({ ...world, inputs: site }, { jobId })
        : bundleMirror.update(site.destination, state, { ...site, jobId }, world.context),
  };
}

/** Returns the files of an archive whose only folder at its root contains `files`. */
export const within = (folder: string, files: Files): Files =>
  files.map(([path, content]) => [`${folder}/${path}`, content]);

export const contentOf = (files: Files) => Object.fromEntries(files);
export const contentOfPages = (folder: string) => {
  const { [siteManifest]: _, ...others } = contentIn(folder);
  return others;
};
