import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { ConfigurationError } from "../support/errors";
import { parseSigningKey } from "./signingKey";

/** The END line is optional, so that a damaged block is also found. The file is then refused. */
const certificates = /-----BEGIN [^-]*CERTIFICATE-----[^-]*(?:-----END [^-]*CERTIFICATE-----)?/g;

export function certificateFileProblem(path: string): string | undefined {
  return problemOf(path, "contains no certificate in PEM format, or a damaged one", (text) =>
    (text.match(certificates) ?? [text]).map((certificate) => new X509Certificate(certificate)),
  );
}

export function clientKeyFileProblem(path: string): string | undefined {
  return problemOf(path, "contains no private key in PEM format, or an encrypted one", createPrivateKey);
}

export function signingKeyFileProblem(path: string): string | undefined {
  try {
    const { mode, uid } = statSync(path);
    const user = process.geteuid?.();
    // Another user who owns the file could change the mode at any time. So the owner must be this user or root. Windows
    // has no such owners and modes.
    if (user !== undefined && uid !== 0 && uid !== user) {
      return `names the file ${path}, but this file belongs to another user: run \`chown\` on it, or let signingKeyCommand print it`;
    }
    if (user !== undefined && (mode & 0o077) !== 0) {
      return `names the file ${path}, but other users may use this file (mode ${(mode & 0o777).toString(8)}): run \`chmod 600\` on it, or let signingKeyCommand print it`;
    }
    const parsed = parseSigningKey(readFileSync(path, "utf8"));
    return "problem" in parsed ? `names the file ${path}, but what it contains ${parsed.problem}` : undefined;
  } catch (error) {
    return explainUnreadableFile(path, error);
  }
}

export function keyMatchesCertificate(keyPath: string, certificatePath: string): boolean {
  return new X509Certificate(readPemFile(certificatePath)).checkPrivateKey(createPrivateKey(readPemFile(keyPath)));
}

export function readPemFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError([explainUnreadableFile(path, error)]);
  }
}

function problemOf(path: string, refusal: string, parse: (text: string) => unknown): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return explainUnreadableFile(path, error);
  }
  try {
    parse(text);
    return undefined;
  } catch {
    return `names the file ${path}, but this file ${refusal}`;
  }
}

export function explainUnreadableFile(path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = { ENOENT: "does not exist", EACCES: "cannot be read by this user", EISDIR: "is a folder" }[code];
  return `names the file ${path}, but this file ${reason ?? `cannot be read (${code || "unknown reason"})`}`;
}
