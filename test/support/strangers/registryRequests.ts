import type { StoreAnswer, StoreHabit, StoreRequest } from "./storeFront";

/** The status and the error code of a registry's answer. */
export type RegistryRefusal = readonly [status: number, code: string];

export const isUpload = ({ url }: StoreRequest) => url.includes("/blobs/uploads/");
export const isStep = (step: "POST" | "PATCH" | "PUT") => (request: StoreRequest) =>
  isUpload(request) && request.method === step;
export const isManifest = (method: string) => (request: StoreRequest) =>
  request.method === method && request.url.includes("/manifests/");
export const requestedTag = ({ url }: StoreRequest) => url.replace(/.*\/manifests\//, "");

export function registryError(status: number, code: string, message = code, headers = {}): StoreAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ errors: [{ code, message, detail: null }] }),
  };
}

/** Gives an answer to each request that matches. */
export const answerWhen =
  (
    is: (request: StoreRequest) => boolean,
    answer: (request: StoreRequest) => StoreAnswer,
  ): NonNullable<StoreHabit["request"]> =>
  (request) =>
    is(request) ? answer(request) : undefined;

/** Changes the headers of the successful answers to each request that matches. */
export const changeHeaders = (
  is: (request: StoreRequest) => boolean,
  change: (headers: StoreAnswer["headers"], request: StoreRequest) => StoreAnswer["headers"],
): StoreHabit => ({
  answer: ({ status, headers }, request) =>
    is(request) && status < 400 ? { headers: { ...headers, ...change(headers, request) } } : {},
});
