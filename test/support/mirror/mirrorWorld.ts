import { pathToFileURL } from "node:url";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import type { Context } from "../../../provider/resources/lifecycle";
import { loadMirrorLibrary } from "../../../provider/resources/mirrorLibrary";
import { systemClock } from "../../../provider/support/time/clock";
import { never } from "../clientUnderTest";
import { type ResourceWorld, type WorldSettings, world } from "../fakePlatform";
import { type Loopback, type Reply, serve } from "../loopback";
import { temporaryFolder } from "../temporaryFolder";
import { toldByHost } from "../toldByHost";

const { bundleMirror } = toldByHost;

/** A text that is in every signed link of the tests, and nowhere else. */
export const signature = "s3cr3t-signature";

/** The platform's origin in these tests. It is on this machine, so plain http is allowed. */
export const localOrigin = "http://127.0.0.1:4000";

export interface MirrorWorld extends ResourceWorld {
  /** The platform's storage. */
  server: Loopback;
  folder: string;
  inputs: BundleMirrorInputs;
}

/** A mirror's surroundings: a scripted platform, and a real storage that gives these replies in turn. */
export async function mirrorWorld(replies: [Reply, ...Reply[]], settings: WorldSettings = {}): Promise<MirrorWorld> {
  const server = await serve(...replies);
  const surroundings = world({ baseUrl: localOrigin, origin: localOrigin, ...settings });
  surroundings.platform.links = [{ bundleUrl: `${server.url}/bundle?X-Amz-Signature=${signature}` }];
  const folder = temporaryFolder();
  const inputs: BundleMirrorInputs = { jobId: "job-1", destination: pathToFileURL(folder).href, layout: "archive" };
  return { ...surroundings, server, folder, inputs };
}

type DeleteContext = Pick<Context, "warn" | "mirrors" | "hasMade">;

/** Destroys a mirror. */
export async function destroyMirror(
  state: BundleMirrorState,
  { warn = () => {}, mirrors = loadMirrorLibrary, hasMade = () => false }: Partial<DeleteContext> = {},
): Promise<void> {
  await bundleMirror.delete?.("id", state, { clock: systemClock, signal: never, mirrors, hasMade, warn });
}

/** A mirror after a successful `create`. */
export async function mirrored(
  world: MirrorWorld,
  inputs: Partial<BundleMirrorInputs> = {},
): Promise<BundleMirrorState> {
  const { state } = await bundleMirror.create({ ...world.inputs, ...inputs }, world.context);
  return state;
}
