import type { BundleMirrorInputs, BundleMirrorState } from "../definitions/bundleMirror";
import { type Mirror, unfinishedPublicationText } from "../mirror/layouts/mirror";
import type { MirrorOwner } from "../mirror/layouts/mirrorOwner";
import { formatSize } from "../mirror/transfer/transferProgress";
import { createLinkAddressPolicy } from "../network/linkAddress";
import { parseDestination } from "../storage/destination";
import { withTimeLimit } from "../support/abort";
import { ConfigurationError, DestinationError } from "../support/errors";
import { words } from "../support/words";
import { makeMirrorState, mirroredContentOf, ownerOf } from "./bundleMirrorState";
import { resolveSigningKeys } from "./imageSigning";
import type { OperationContext, WriteOutcome } from "./lifecycle";
import { mintLink } from "./mintLink";
import type { MirrorLibrary } from "./mirrorLibrary";
import { createWaitLimit, type WaitInputs } from "./wait";

/** Returns the last segment of the path at which a site is served; undefined for an image. */
function baseOf({ destination, publicUrl }: BundleMirrorInputs): string | undefined {
  const { protocol, pathname } = new URL(publicUrl ?? destination);
  const step = pathname.replace(/\/$/, "").split("/").at(-1);
  return protocol.startsWith("oci") ? undefined : decodeURIComponent(step ?? "");
}

/** The default of `maxBytes`, the largest size of an unpacked site. */
const defaultMaxBytes = 8 * 1024 ** 3;

export type MirrorFactory = (owner: MirrorOwner) => Mirror;

type Limits = Pick<OperationContext, "clock" | "signal" | "timeLimit" | "mirrors">;

/**
 * The whole operation may last this many milliseconds longer than the download. So a late download ends with the error
 * of the download, and not with the error of the operation.
 */
const afterDownload = 1_000;

/**
 * The operation ends at the time limit of the wait, or when the run is cancelled, even if the destination does not
 * answer.
 * @param plainLoopback true permits plain http to an S3 server on this machine. A call that sends no bundle passes
 * true, because the server was checked when the mirror was created.
 */
export async function withDestination<T>(
  inputs: Pick<BundleMirrorInputs, "destination" | "layout"> & WaitInputs,
  limits: Limits,
  plainLoopback: boolean,
  use: (open: { library: MirrorLibrary; mirrorOf: MirrorFactory }, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { destination, layout } = inputs;
  const parsed = parseDestination(destination);
  if ("problem" in parsed) {
    throw new ConfigurationError([`destination ${parsed.problem}`]);
  }
  const { name, time, deadline } = createWaitLimit(inputs, limits);
  const timeIsUp = new DestinationError({
    happened: `the operation at the destination took longer than ${name} (${time})`,
    remedy: `find out why it is slow, or set a longer \`${name}\`; then run \`${words.run}\` again.`,
  });
  const work = async (signal: AbortSignal) => {
    const library = await limits.mirrors();
    const store = await library.openStore(parsed, { plainLoopback, signal, clock: limits.clock, deadline });
    try {
      return await use({ library, mirrorOf: (owner) => library.createMirror(store, layout, owner) }, signal);
    } finally {
      store.close();
    }
  };
  return withTimeLimit(deadline.left + afterDownload, limits.signal, work, timeIsUp);
}

/** @returns the mirror's state, with a problem if the publication did not complete. */
export async function transferBundle(
  id: string,
  inputs: BundleMirrorInputs,
  ownerAt: (mirrorOf: MirrorFactory) => Promise<MirrorOwner>,
  context: OperationContext,
  before?: BundleMirrorState,
): Promise<WriteOutcome<BundleMirrorState>> {
  const { origin, requestTimeout, tls } = context.settings();
  const rule = createLinkAddressPolicy(context.settings());
  const { jobId, destination, expectedSha256 } = inputs;
  const { clock } = context;
  const signing = await resolveSigningKeys(inputs, context, before);
  return withDestination(inputs, context, rule.loopback, async ({ library, mirrorOf }, signal) => {
    const owner = await ownerAt(mirrorOf);
    const mirror = mirrorOf(owner);
    const download = new library.ResumableDownload({
      mint: () => mintLink(jobId, context),
      rule,
      network: { origin, tls },
      timeout: requestTimeout,
      limit: {
        size: { name: words.name("maxBytes"), bytes: inputs.maxBytes ?? defaultMaxBytes },
        wait: createWaitLimit(inputs, context),
      },
      clock,
      random: Math.random,
      signal: context.signal,
    });
    const source = {
      jobId,
      expectedSha256,
      download,
      outerFolder: { wanted: inputs.outerFolder, earlier: owner.saved?.outerFolder, base: baseOf(inputs) },
      clock,
      status: (text: string) => context.status(text),
      warn: (text: string) => context.warn(text),
      info: (text: string) => context.info(text),
    };
    try {
      const { stopped, ...mirrored } = await mirror.put(source, signal, signing);
      const state = makeMirrorState(inputs, mirrored, {
        __origin: origin,
        __owner: context.owner,
        __publication: owner.publication,
        __address: mirror.address(mirrored),
      });
      if (stopped === undefined) {
        context.lastStatus(`mirrored, ${formatSize(mirrored.sizeBytes)}, job ${jobId}`);
        return { id, state };
      }
      const problem = stopped.withOutcome({
        exists: `a part of the files of job ${jobId} at ${destination}; the publication did not complete.`,
        nextRun: `publishes job ${jobId} again, and removes the files that do not belong to it.`,
      });
      return { id, state: { ...(before ?? state), __difference: unfinishedPublicationText }, problem };
    } finally {
      await download.close();
    }
  });
}

export async function updateImageSignature(
  id: string,
  inputs: BundleMirrorInputs,
  context: OperationContext,
  before: BundleMirrorState,
): Promise<WriteOutcome<BundleMirrorState>> {
  const signing = await resolveSigningKeys(inputs, context, before);
  const mirrored = mirroredContentOf(before);
  if (signing?.wanted === undefined && signing?.earlier === undefined) {
    return { id, state: makeMirrorState(inputs, mirrored, before) };
  }
  return withDestination(inputs, context, true, async ({ mirrorOf }, signal) => {
    const platform = before.__origin;
    const signed = await mirrorOf(ownerOf(before)).sign?.(mirrored, { ...signing, platform }, signal);
    return { id, state: makeMirrorState(inputs, signed ?? mirrored, before) };
  });
}
