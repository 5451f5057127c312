import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirrorDefinition as definition,
} from "../definitions/bundleMirror";
import type { RawValues } from "../definitions/values";
import type { MirrorOwner } from "../mirror/layouts/mirrorOwner";
import { asDocsPlatformError } from "../support/errors";
import { words } from "../support/words";
import {
  isCompleteMirrorState,
  makeMirrorState,
  mirroredContentOf,
  ownerForNewMirror,
  ownerForNextPublication,
  ownerOf,
} from "./bundleMirrorState";
import { type MirrorFactory, transferBundle, updateImageSignature, withDestination } from "./bundleMirrorTransfer";
import { differsFromStored } from "./differsFromStored";
import { changedSignatureOutputs, needsSignatureByOtherKey, reasonToSignImageAgain } from "./imageSigning";
import type { Lifecycle, OperationContext } from "./lifecycle";
import { requireSameOrigin } from "./requireSameOrigin";
import { decodePartialState } from "./resource";

export const bundleMirrorLifecycle: Lifecycle<BundleMirrorInputs, BundleMirrorState> = {
  decide(state, inputs, { replacing, updating }) {
    // A changed `jobId` does not replace a mirror with the layout `site`: an update changes the files.
    const replaces = state.layout === "site" ? replacing.filter((name) => name !== "jobId") : replacing;
    const difference = state.__difference ?? state.__unsigned;
    const update = difference !== undefined || replacing.length + updating.length > 0;
    const reason = difference !== undefined && replaces.length === 0 ? `${difference}: will be repaired` : undefined;
    return { replaces, update, changingOutputs: update ? setInPlace(state, inputs, replacing) : [], reason };
  },

  async create(inputs, context, earlier) {
    const { jobId, destination } = inputs;
    const id = inputs.layout === "site" ? destination : `${destination}#${encodeURIComponent(jobId)}`;
    try {
      return await transferBundle(id, inputs, (mirrorOf) => ownerAt(mirrorOf, inputs, context, earlier), context);
    } catch (error) {
      throw failure(inputs, error, `no files of job ${jobId} from this mirror at ${destination}.`);
    }
  },

  async read(_, state, context) {
    if (!isCompleteMirrorState(state)) {
      return undefined;
    }
    const { __difference: ___, __unsigned: ____, ...known } = state;
    try {
      const found = await withDestination(state, context, true, ({ mirrorOf }) =>
        mirrorOf(ownerOf(state)).inspect(mirroredContentOf(state)),
      );
      if (found.kind !== "same") {
        return found.kind === "missing" ? undefined : { ...known, __difference: found.what };
      }
      const unsigned = found.unsigned ?? (await reasonToSignImageAgain(known, context));
      return { ...known, ...(unsigned !== undefined && { __unsigned: unsigned }) };
    } catch (error) {
      throw asDocsPlatformError(error).withOutcome({
        exists: "the mirror, as recorded in the state; nothing was changed.",
        nextRun: `reads the destination again; ${words.withoutRefresh} does not.`,
      });
    }
  },

  async update(id, state, inputs, context) {
    const sameJob = inputs.jobId === state.jobId;
    try {
      if (sameJob) {
        requireSameOrigin(state.__origin, context.settings().origin);
      }
      if (sameJob && !needsTransfer(state, inputs)) {
        if (changedSignatureOutputs(state, { ...inputs }).length > 0) {
          return await updateImageSignature(id, inputs, context, state);
        }
        // The files are the same, but `outerFolder` may change to a value with the same effect ("none" to "keep").
        const { outerFolder } = inputs;
        const mirrored = { ...mirroredContentOf(state), ...(outerFolder !== undefined && { outerFolder }) };
        return { id, state: makeMirrorState(inputs, mirrored, state) };
      }
      const owner = ownerForNextPublication(state, inputs.jobId, context.owner);
      return await transferBundle(id, inputs, async () => owner, context, state);
    } catch (error) {
      const before = `the earlier files at ${state.destination}: job ${state.jobId}, mirrored at ${state.mirroredAt}.`;
      throw failure(inputs, error, before);
    }
  },

  async delete(id, state, context) {
    const { jobId } = state;
    // This run may have created a new mirror with the same id. The files then belong to the new mirror, and a warning
    // about them would mislead.
    const warn = context.hasMade(id) ? () => {} : (text: string) => context.warn(text);
    await withDestination(state, context, true, ({ mirrorOf }) =>
      mirrorOf(ownerOf(state)).remove(mirroredContentOf(state), warn),
    ).catch((error: unknown) => {
      throw asDocsPlatformError(error).withOutcome({
        exists: `the mirror of job ${jobId} at ${state.destination}, or a part of it.`,
        nextRun: "tries to remove it again.",
      });
    });
  },
};

/**
 * The new mirror may replace an old one at the same destination. Only the old mirror's state then proves that the files
 * there may be replaced. If the host has not passed that state, and the destination has a record, this function reads
 * the state.
 */
async function ownerAt(
  mirrorOf: MirrorFactory,
  inputs: BundleMirrorInputs,
  context: OperationContext,
  told: BundleMirrorState | undefined,
): Promise<MirrorOwner> {
  const owner = ownerForNewMirror(inputs, context.owner, told);
  if (told !== undefined || !(await mirrorOf(owner).isUsed())) {
    return owner;
  }
  const saved = decodePartialState(definition, (await context.savedState()) ?? {});
  return isCompleteMirrorState(saved) ? ownerForNewMirror(inputs, context.owner, saved) : owner;
}

function setInPlace(state: BundleMirrorState, inputs: RawValues, replacing: readonly string[]): string[] | "all" {
  if (replacing.includes("jobId") || needsTransfer(state, inputs)) {
    return "all";
  }
  return [
    ...(differsFromStored(state.publicUrl, inputs.publicUrl) ? ["url"] : []),
    ...changedSignatureOutputs(state, inputs),
  ];
}

function needsTransfer(state: BundleMirrorState, inputs: { readonly [name: string]: unknown }): boolean {
  const { sha256, __difference: difference, __outerFolder: folder } = state;
  const { expectedSha256 = sha256, outerFolder = folder } = inputs;
  const isPinned = String(expectedSha256).toLowerCase() === sha256;
  const isElsewhere = (outerFolder === "remove") !== (folder === "remove");
  return difference !== undefined || !isPinned || isElsewhere || needsSignatureByOtherKey(state, inputs);
}

/** The error of an operation that has changed no file. After a change, `transferBundle` returns the problem instead. */
function failure({ jobId }: BundleMirrorInputs, error: unknown, exists: string): Error {
  return asDocsPlatformError(error).withOutcome({ exists, nextRun: `mirrors job ${jobId} again, from the start.` });
}
