import { createDecipheriv, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

/** How the engine marks a secret in a state. */
const secretSignature = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/** A state as the local backend saves it, as far as the outputs of its stack are concerned. */
interface SavedState {
  checkpoint: {
    latest: {
      secrets_providers?: { state: { salt: string } };
      resources?: { type: string; outputs?: Record<string, unknown> }[];
    };
  };
}

const keys = new Map<string, Promise<Buffer>>();

/** The key that the engine derives. It takes a third of a second; all stacks of a process share it. */
function keyOf(salt: string, passphrase: string): Promise<Buffer> {
  const name = `${salt} ${passphrase}`;
  const known = keys.get(name) ?? promisify(pbkdf2)(passphrase, Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  keys.set(name, known);
  return known;
}

/**
 * The outputs of a stack with its secrets in clear, as `pulumi stack output --show-secrets` tells them, and in a small part
 * of its time: from the state, by the stack's passphrase.
 */
export async function outputsIn(state: SavedState, passphrase: string): Promise<Record<string, unknown>> {
  const { secrets_providers: secrets, resources = [] } = state.checkpoint.latest;
  const outputs = JSON.stringify(resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {});
  if (secrets === undefined || !outputs.includes(secretMark)) {
    return JSON.parse(outputs);
  }
  const [, salt = ""] = secrets.state.salt.split(":");
  const key = await keyOf(salt, passphrase);
  return JSON.parse(outputs, (_, value) =>
    value?.[secretSignature] === secretMark ? JSON.parse(decrypt(value.ciphertext, key)) : value,
  );
}

/** @param ciphertext `v1:nonce:sealed`, by AES-256-GCM. */
function decrypt(ciphertext: string, key: Buffer): string {
  const [, nonce = "", sealed = ""] = ciphertext.split(":");
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(0, -16), undefined, "utf8") + decipher.final("utf8");
}
