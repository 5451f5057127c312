import type { BundleMirrorInputs, BundleMirrorState } from "../definitions/bundleMirror";
import type { RawValues } from "../definitions/values";
import type { PublicKeyInState, WantedAndEarlierKeys } from "../mirror/signing/signImage";
import type { KeyFromFileOrCommand } from "../settings/apiKeySource";
import { signingKeyCommand, signingKeyFile } from "../settings/settingTable";
import { type ImageSigningKey, parseSigningKey, publicKeyFingerprint } from "../settings/signingKey";
import { isImageDestination } from "../storage/destination";
import { ConfigurationError } from "../support/errors";
import { words } from "../support/words";
import { differsFromStored } from "./differsFromStored";
import type { OperationContext } from "./lifecycle";

export function findPreviousSigningKey(state: BundleMirrorState): PublicKeyInState | undefined {
  const { __publicKey: publicKey, __origin: platform } = state;
  return publicKey === undefined ? undefined : { publicKey, platform };
}

/** Returns the outputs that change when the image is signed again without a transfer. */
export function changedSignatureOutputs(state: BundleMirrorState, inputs: RawValues): string[] {
  return state.__unsigned !== undefined || differsFromStored(state.sign, inputs.sign) ? ["signedBy"] : [];
}

/**
 * Returns true if an existing image needs a signature of a key that has not signed it before. The bundle must then be
 * transferred again, because only a transfer proves what the image contains.
 */
export function needsSignatureByOtherKey(state: BundleMirrorState, inputs: RawValues): boolean {
  const isOther = state.signedBy === undefined || state.__unsigned === otherKey;
  return isOther && inputs.sign !== "none" && changedSignatureOutputs(state, inputs).length > 0;
}

const otherKey = "the image is signed by another key than the configured one";

/**
 * Returns the key that must sign the image (`wanted`), and the image's signer according to the state (`earlier`).
 * @throws ConfigurationError if there is no key, but an image must be signed, or was signed before.
 */
export async function resolveSigningKeys(
  { destination, sign }: BundleMirrorInputs,
  context: OperationContext,
  before: BundleMirrorState | undefined,
): Promise<WantedAndEarlierKeys | undefined> {
  if (!isImageDestination(destination)) {
    return undefined;
  }
  const source = context.signingKey();
  const { origin: platform } = context.settings();
  const earlier = before && findPreviousSigningKey(before);
  if (sign === "none" || (sign === undefined && source === undefined && earlier === undefined)) {
    return { wanted: undefined, earlier, platform };
  }
  if (source === undefined) {
    const asked =
      sign === undefined ? "the image was signed before" : `${words.name("sign")} is ${JSON.stringify(sign)}`;
    throw new ConfigurationError([
      `${asked}, but there is no signing key: set ${signingKeyFile.variable} or ${signingKeyCommand.variable} in the environment, or give ${words.argument(words.name("sign"), '"none"')}`,
    ]);
  }
  return { wanted: await readSigningKey(source, context.signal), earlier, platform };
}

/** Returns undefined without a readable key, because a refresh must work without the key. */
export async function reasonToSignImageAgain(
  { destination, sign, signedBy }: BundleMirrorState,
  context: OperationContext,
): Promise<string | undefined> {
  if (sign === "none" || !isImageDestination(destination)) {
    return undefined;
  }
  const source = keySourceIn(context);
  const key =
    source && (await readSigningKey(source, context.signal).catch((error: Error) => context.warn(error.message)));
  if (!key || publicKeyFingerprint(key.publicKey) === signedBy) {
    return undefined;
  }
  return signedBy === undefined ? "the image is not signed" : otherKey;
}

function keySourceIn({ signingKey }: OperationContext): KeyFromFileOrCommand | undefined {
  try {
    return signingKey();
  } catch {
    return undefined;
  }
}

/** @throws ConfigurationError if the key cannot be read, or is invalid. */
async function readSigningKey(source: KeyFromFileOrCommand, signal: AbortSignal): Promise<ImageSigningKey> {
  const problemOf = (text: string) => {
    const parsed = parseSigningKey(text);
    return "problem" in parsed ? parsed.problem : undefined;
  };
  // Most runs sign nothing, so this module is loaded only here.
  const { readKeyFileOrCommand } = await import("../settings/readKeyFileOrCommand.js");
  return parseSigningKey(await readKeyFileOrCommand("signing key", source, problemOf, signal)) as ImageSigningKey;
}
