import type { Dispatcher } from "undici";
import { parseJsonObject } from "../../support/parseJsonObject";
import { decideRetry, type ExplainedStorageFault } from "../attempt";

const login = "run `docker login` for this registry, or correct the credentials that are used";
const creation = "create the repository, if it does not exist yet";
const permission = `allow these credentials to pull from the repository and to push to it, or ${creation}`;

const overwriting = "allow tags to be overwritten in this repository: the record of a mirror is a tag";

const otherTypes =
  'let the registry accept these types, or use layout "site" without a signature, which has only the types of an image';

const otherServer =
  "check that the destination names a registry and its repository, and that a gateway or proxy in front of it leaves its answers unchanged";

const remedies: Readonly<Record<number, string>> = {
  401: `${login}; or ${creation}`,
  403: permission,
  404: "create the repository, or correct the destination",
  409: overwriting,
  412: overwriting,
  413: "configure the registry, or a proxy in front of it, to accept an upload of this size",
  429: "wait until the registry accepts requests again",
};

export interface RegistryAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: Buffer;
}

/** The error contains nothing from the answer's body except the error code, because the body may contain a secret. */
export class RegistryRefusalError extends Error {
  readonly status: number;
  /** The code of the distribution specification, such as `DENIED`, if the answer has one. */
  readonly code: string | undefined;
  readonly contentType: string | undefined;
  readonly next: Pick<ExplainedStorageFault, "mayPass" | "retryAfter">;
  /** The refused manifest's media types, if they may be the reason for the refusal. */
  manifest: string | undefined;

  constructor({ status, headers, body }: RegistryAnswer, mayPass = false) {
    super();
    const header = (name: string) => [headers[name]].flat()[0];
    this.status = status;
    this.code = codeIn(body);
    this.contentType = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(header("content-type") ?? "")?.[0];
    this.next = mayPass || isLost(this.code) ? { mayPass: true } : decideRetry(status, header);
  }
}

function codeIn(body: Buffer): string | undefined {
  const { errors } = parseJsonObject(body.toString()) ?? {};
  const found = Array.isArray(errors) ? errors[0]?.code : undefined;
  return typeof found === "string" && /^[A-Z_]{1,40}$/.test(found) ? found : undefined;
}

/** Returns "perhaps" for a 404 without a registry's error code, because a gateway may have sent the answer. */
export function saysMissing({ status, body }: Pick<RegistryAnswer, "status" | "body">): boolean | "perhaps" {
  return status === 404 && (/(_UNKNOWN|NOT_FOUND)$/.test(codeIn(body) ?? "") || "perhaps");
}

/**
 * True if the registry does not know a blob or an upload that it has just accepted. Its storage may be eventually
 * consistent.
 */
function isLost(code: string | undefined): boolean {
  return ["MANIFEST_BLOB_UNKNOWN", "BLOB_UNKNOWN", "BLOB_UPLOAD_UNKNOWN"].includes(code ?? "");
}

function isFromOtherServer({ status, code }: RegistryRefusalError): boolean {
  return status === 404 && code === undefined;
}

export function isUploadLost(error: unknown): boolean {
  return error instanceof RegistryRefusalError && isLost(error.code);
}

export function forbidsDeletion(error: unknown): boolean {
  return error instanceof RegistryRefusalError && [400, 401, 403, 405, 501].includes(error.status);
}

/**
 * Adds the media types to the error if the registry may have refused them. Some registries accept only the types that
 * their configuration lists.
 */
export function addRefusedMediaTypes(error: unknown, types: string): unknown {
  if (
    error instanceof RegistryRefusalError &&
    [400, 415, 422].includes(error.status) &&
    error.code !== "TAG_INVALID" &&
    !isLost(error.code)
  ) {
    error.manifest = types;
  }
  return error;
}

/** @param credentials the text from `FoundCredentials.where`, shown if the registry does not accept the credentials. */
export function explainRegistryFault(error: unknown, credentials?: string): ExplainedStorageFault | undefined {
  if (!(error instanceof RegistryRefusalError)) {
    return undefined;
  }
  const { code, status, contentType, next, manifest } = error;
  const words = [
    code,
    `HTTP ${status}`,
    isFromOtherServer(error)
      ? `with ${contentType ?? "content of no type"}, and without an error code of a registry`
      : undefined,
    manifest && `the registry refuses a manifest with the types ${manifest}`,
    status === 401 || status === 403 ? credentials : undefined,
  ];
  return {
    ...next,
    why: words.filter((word) => word !== undefined).join(", "),
    remedy: remedyOf(error),
  };
}

function remedyOf(error: RegistryRefusalError): string | undefined {
  const { code, status, manifest } = error;
  if (isLost(code)) {
    return "find out why the registry lost a part that it had accepted";
  }
  if (isFromOtherServer(error)) {
    return otherServer;
  }
  return code === "TAG_INVALID" ? overwriting : manifest === undefined ? remedies[status] : otherTypes;
}
