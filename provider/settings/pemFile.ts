import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigurationError } from "../support/errors";

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** What was found good is not looked at again: `check` runs for each resource. */
const good = new Set<string>();

/** Why a file is none of certificates (PEM), or undefined where it is one. */
export function certificateFileProblem(path: string): string | undefined {
  return problemOf(path, "contains no certificate in PEM format", (text) => {
    const found = text.match(certificate) ?? [];
    return found.length > 0 && found.every((each) => new X509Certificate(each).raw.length > 0);
  });
}

/** Why a file is none of a private key (PEM), or undefined where it is one. */
export function keyFileProblem(path: string): string | undefined {
  return problemOf(path, "contains no private key in PEM format, or an encrypted one", (text) => {
    createPrivateKey(text);
    return true;
  });
}

/** Whether two files that are each good belong together. */
export function isKeyOf(keyPath: string, certificatePath: string): boolean {
  const pair = JSON.stringify([keyPath, certificatePath]);
  if (!good.has(pair)) {
    const [first = ""] = pemText(certificatePath).match(certificate) ?? [];
    if (!new X509Certificate(first).checkPrivateKey(createPrivateKey(pemText(keyPath)))) {
      return false;
    }
    good.add(pair);
  }
  return true;
}

/** @throws ConfigurationError where the file has gone since it was checked. */
export function pemText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError([unreadable(path, error)]);
  }
}

function problemOf(path: string, refusal: string, isGood: (text: string) => boolean): string | undefined {
  const looked = `${refusal}: ${path}`;
  if (good.has(looked)) {
    return undefined;
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return unreadable(path, error);
  }
  try {
    if (isGood(text)) {
      good.add(looked);
      return undefined;
    }
  } catch {
    // Whatever the library says of it, it is no such file.
  }
  return `names the file ${path}, but this file ${refusal}`;
}

/** Why a file cannot be read, as the end of a sentence about a setting. */
export function unreadable(path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = { ENOENT: "does not exist", EACCES: "cannot be read by this user", EISDIR: "is a folder" }[code];
  return `names the file ${path}, but this file ${reason ?? `cannot be read (${code || "unknown reason"})`}`;
}
