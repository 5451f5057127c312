import type { Dispatcher } from "undici";
import { jsonObject } from "../../support/jsonObject";
import { anotherTry, type StorageFault } from "../attempt";

const login = "run `docker login` for this registry, or correct the configuration in DOCKER_CONFIG";
const permission = "allow these credentials to pull from the repository and to push to it";

const overwriting = "allow tags to be overwritten in this repository: the record of a mirror is a tag";

const remedies: Readonly<Record<number, string>> = {
  401: login,
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

export class RegistryRefusalError extends Error {
  constructor(
    readonly status: number,
    /** The code of the distribution specification, such as `DENIED`, if the answer has one. */
    readonly code: string | undefined,
    readonly next: Pick<StorageFault, "mayPass" | "retryAfter">,
  ) {
    super();
  }
}

/** Creates the error for an answer. Only the error code is taken from its body, since the other text may be anything. */
export function registryRefusalOf(
  { status, headers, body }: RegistryAnswer,
  next = anotherTry(status, (name) => [headers[name]].flat()[0]),
): RegistryRefusalError {
  const { errors } = jsonObject(body.toString()) ?? {};
  const code = Array.isArray(errors) ? errors[0]?.code : undefined;
  return new RegistryRefusalError(
    status,
    typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : undefined,
    next,
  );
}

export function forbidsDeletion(error: unknown): boolean {
  return error instanceof RegistryRefusalError && [400, 401, 403, 405, 501].includes(error.status);
}

export function explainRegistryFault(error: unknown): StorageFault | undefined {
  if (!(error instanceof RegistryRefusalError)) {
    return undefined;
  }
  const { code, status, next } = error;
  return {
    ...next,
    why: [code, `HTTP ${status}`].filter((word) => word !== undefined).join(", "),
    remedy: code === "TAG_INVALID" ? overwriting : remedies[status],
  };
}
