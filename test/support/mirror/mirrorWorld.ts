import { pathToFileURL } from "node:url";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import type { OperationContext } from "../../../provider/resources/lifecycle";
import { loadMirrorLibrary } from "../../../provider/resources/mirrorLibrary";
import type { FileOrObjectStore } from "../../../provider/storage/store";
import { DestinationError } from "../../../provider/support/errors";
import { systemClock } from "../../../provider/support/time/clock";
import { never } from "../clientUnderTest";
import { type ResourceWorld, type WorldSettings, world } from "../fakePlatform";
import { type Loopback, type Reply, serve } from "../loopback";
import { temporaryFolder } from "../temporaryFolder";
import { throwingLifecycles } from "../throwingLifecycles";

const { bundleMirror } = throwingLifecycles;

/** Each signed link of the tests contains this text, and nothing else does. */
export const signature = "s3cr3t-signature";

/** The origin of the platform. Plain http is allowed because the origin is on this machine. */
export const localOrigin = "http://127.0.0.1:4000";

export interface MirrorWorld extends ResourceWorld {
  server: Loopback;
  folder: string;
  inputs: BundleMirrorInputs;
}

/** The server answers downloads with these replies in order. */
export async function mirrorWorld(replies: [Reply, ...Reply[]], settings: WorldSettings = {}): Promise<MirrorWorld> {
  const server = await serve(...replies);
  const surroundings = world({ baseUrl: localOrigin, origin: localOrigin, ...settings });
  surroundings.platform.links = [{ bundleUrl: `${server.url}/bundle?X-Amz-Signature=${signature}` }];
  const folder = temporaryFolder();
  const inputs: BundleMirrorInputs = { jobId: "job-1", destination: pathToFileURL(folder).href, layout: "archive" };
  return { ...surroundings, server, folder, inputs };
}

/** Returns a loader of the mirror library. Each store that the library opens is replaced by the result of `around`. */
export const mirrorsWith = (around: (store: FileOrObjectStore) => FileOrObjectStore) => async () => {
  const library = await loadMirrorLibrary();
  const openStore = async (...given: Parameters<typeof library.openStore>) =>
    around((await library.openStore(...given)) as FileOrObjectStore);
  return { ...library, openStore } as typeof library;
};

type Put = ReturnType<FileOrObjectStore["put"]>;

export const storeFault = () => new DestinationError({ happened: "the destination fails", remedy: "run again." });

/** Like {@link mirrorsWith}, but replaces only the store's `put`. `write` calls the original `put`. */
export const mirrorsWhosePut = (replaced: (name: string, write: () => Put) => Put) =>
  mirrorsWith((store) => {
    const put = store.put.bind(store);
    store.put = (...given) => replaced(given[0], () => put(...given));
    return store;
  });

type DeleteContext = Pick<OperationContext, "warn" | "mirrors" | "hasMade">;

export async function destroyMirror(
  state: BundleMirrorState,
  { warn = () => {}, mirrors = loadMirrorLibrary, hasMade = () => false }: Partial<DeleteContext> = {},
): Promise<void> {
  await bundleMirror.delete?.("id", state, { clock: systemClock, signal: never, mirrors, hasMade, warn });
}

export async function mirrored(
  world: MirrorWorld,
  inputs: Partial<BundleMirrorInputs> = {},
): Promise<BundleMirrorState> {
  const { state } = await bundleMirror.create({ ...world.inputs, ...inputs }, world.context);
  return state;
}
