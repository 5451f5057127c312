import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirrorDefinition as definition,
} from "../definitions/bundleMirror";
import type { RawValues } from "../definitions/values";
import type { MirrorOwner } from "../mirror/layouts/mirrorOwner";
import type { OpenMirror } from "../mirror/openMirror";
import { asDocsPlatformError, type Outcome } from "../support/errors";
import { newOwner, ownerOf } from "./bundleMirrorOwner";
import { isSaved, mirroredOf, mirrorState } from "./bundleMirrorState";
import { atDestination, transfer, UnfinishedError } from "./bundleMirrorTransfer";
import { differs } from "./compare";
import { type Context, type Decision, type Lifecycle, PartialFailure } from "./lifecycle";
import { requireSameOrigin } from "./origin";
import { decodePartly } from "./resource";

/** A copy of a job's bundle at a place of the user, as one archive or unpacked. */
export const bundleMirror: Lifecycle<BundleMirrorInputs, BundleMirrorState> = {
  decide(state, inputs, { replacing, updating }) {
    // A site is updated in place with the files of another job.
    const replaces = state.layout === "site" ? replacing.filter((name) => name !== "jobId") : replacing;
    const update = state.__differs === true || replacing.length + updating.length > 0;
    const { __differs, __difference = "the files at the destination differ" } = state;
    const reason = __differs && replaces.length === 0 ? `${__difference}: will be repaired` : undefined;
    return { replaces, update, changingOutputs: update ? setInPlace(state, inputs, replacing) : [], reason };
  },

  async create(inputs, context, earlier) {
    const { jobId, destination } = inputs;
    const id = inputs.layout === "site" ? destination : `${destination}#${encodeURIComponent(jobId)}`;
    try {
      return { id, state: await transfer(inputs, (mirror) => ownerAt(mirror, inputs, context, earlier), context) };
    } catch (error) {
      throw failure(id, inputs, error, `no files of job ${jobId} from this mirror at ${destination}.`);
    }
  },

  async read(_, state, context) {
    if (!isSaved(state)) {
      return undefined;
    }
    const { __differs: ___, __difference: ____, ...known } = state;
    try {
      const found = await atDestination(state, context, true, ({ mirror }) =>
        mirror.inspect(ownerOf(state), mirroredOf(state)),
      );
      if (found.kind === "missing") {
        return undefined;
      }
      return found.kind === "same"
        ? mirrorState(known, found.mirrored, known)
        : { ...known, __differs: true, __difference: found.what };
    } catch (error) {
      throw asDocsPlatformError(error).withOutcome({
        exists: "the mirror, as recorded in the state; nothing was changed.",
        nextRun: "reads the destination only in a refresh.",
      });
    }
  },

  async update(id, state, inputs, context) {
    const isMoved = context.hasMade(inputs.jobId) && state.__origin !== context.settings().origin;
    const sameJob = inputs.jobId === state.jobId && !isMoved;
    try {
      const kept = sameJob && isPinned(state, inputs) ? await keep(state, inputs, context) : undefined;
      if (kept) {
        return kept;
      }
      if (sameJob) {
        requireSameOrigin(state.__origin, context.settings().origin);
      }
      const owner = { ...ownerOf(state), jobId: inputs.jobId };
      return await transfer(inputs, async () => owner, context, state);
    } catch (error) {
      const before = `the earlier files at ${state.destination}: job ${state.jobId}, mirrored at ${state.mirroredAt}.`;
      throw failure(id, inputs, error, before);
    }
  },

  async delete(_, state, context) {
    const { jobId } = state;
    const { warn } = context;
    await atDestination(state, context, true, ({ mirror }, signal) =>
      mirror.remove(ownerOf(state), mirroredOf(state), { warn, signal }),
    ).catch((error: unknown) => {
      throw asDocsPlatformError(error).withOutcome({
        exists: `the mirror of job ${jobId} at ${state.destination}, or a part of it.`,
        nextRun: "tries to remove it again.",
      });
    });
  },
};

/**
 * Returns the owner of a new mirror's files. If the run was not told what this mirror replaces, as with `--replace`, and
 * there is something at the place, the host's state is asked: the files there may be those of the mirror that is replaced.
 */
async function ownerAt(
  mirror: OpenMirror,
  inputs: BundleMirrorInputs,
  context: Context,
  told: BundleMirrorState | undefined,
): Promise<MirrorOwner> {
  const owner = newOwner(inputs, told);
  if (told !== undefined || !(await mirror.isUsed(owner))) {
    return owner;
  }
  const saved = decodePartly(definition, (await context.savedState()) ?? {});
  return isSaved(saved) ? newOwner(inputs, saved) : owner;
}

/**
 * Returns the new state if no transfer is needed, else undefined. Looks at the destination only if the state says that
 * the destination may differ.
 */
async function keep(
  state: BundleMirrorState,
  inputs: BundleMirrorInputs,
  context: Context,
): Promise<BundleMirrorState | undefined> {
  if (!state.__differs) {
    return mirrorState(inputs, mirroredOf(state), state);
  }
  const repaired = await atDestination(inputs, context, true, ({ mirror }, signal) =>
    mirror.repair(ownerOf(state), mirroredOf(state), signal),
  );
  return repaired && mirrorState(inputs, repaired, state);
}

/**
 * Returns the outputs that an update changes: all if the update transfers or repairs files, else at most the address.
 */
function setInPlace(
  state: BundleMirrorState,
  inputs: RawValues,
  replacing: readonly string[],
): Decision["changingOutputs"] {
  if (state.__differs || replacing.includes("jobId") || !isPinned(state, inputs)) {
    return "all";
  }
  return differs(state.publicUrl, inputs.publicUrl) ? ["url"] : [];
}

/**
 * Returns true if the mirrored bytes are the bytes that the program wants, and false if the wanted checksum is not
 * known yet.
 */
function isPinned(
  { sha256 }: BundleMirrorState,
  { expectedSha256 = sha256 }: { readonly expectedSha256?: unknown },
): boolean {
  return String(expectedSha256).toLowerCase() === sha256;
}

function failure(id: string, { jobId, destination }: BundleMirrorInputs, error: unknown, exists: string): Error {
  if (error instanceof UnfinishedError) {
    const outcome: Outcome = {
      exists: `a part of the files of job ${jobId} at ${destination}; the publication did not complete.`,
      nextRun: `publishes job ${jobId} again, and removes the files that do not belong to it.`,
    };
    return new PartialFailure(id, error.state, error.reason.withOutcome(outcome));
  }
  return asDocsPlatformError(error).withOutcome({ exists, nextRun: `mirrors job ${jobId} again, from the start.` });
}
