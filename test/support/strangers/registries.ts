import {
  answerWhen,
  changeHeaders,
  isManifest,
  isStep,
  isUpload,
  type RegistryRefusal,
  registryError,
  requestedTag,
} from "./registryRequests";
import { basicAuthorization, credentialFamilies, scopedTokenFamilies } from "./registryTokens";
import type { StoreAnswer, StoreRequest } from "./storeFront";
import { firstOf } from "./storeFront";
import { type ActOf, busyFamily, drawForeignBody, foreignErrorFamily, type StoreFamilies } from "./stores";

/* Real registries give these answers. The simplest registry that follows the specification does not give them. */

const actOf: ActOf = ({ method, url }) => {
  if (url.includes("/manifests/")) {
    return ({ GET: "read", PUT: "write", DELETE: "remove" } as const)[method as "GET"];
  }
  return url.includes("/blobs/uploads") ? "list" : "look";
};

const imageTypes = ["manifest", "index", "config"].map((part) => `application/vnd.oci.image.${part}.v1+json`);
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";
function typesIn(body: Buffer): (string | undefined)[] {
  const { mediaType, artifactType, config, layers = [] } = JSON.parse(body.toString());
  return [mediaType, artifactType, config?.mediaType, ...layers.map((layer: { mediaType: string }) => layer.mediaType)];
}

export const registryFamilies: StoreFamilies = {
  ...credentialFamilies,
  "repository that does not exist before a push": ({ random }) => {
    const [status, code] = random.pick<RegistryRefusal>([
      [401, "UNAUTHORIZED"],
      [403, "DENIED"],
      [404, "NAME_UNKNOWN"],
      [404, "MANIFEST_UNKNOWN"],
    ]);
    const isCreated = random.next() < 0.5;
    let isThere = false;
    return {
      text: `${status} ${code}, ${isCreated ? "created by a push" : "never created"}`,
      habit: {
        request: (request) => {
          isThere ||= isCreated && isStep("POST")(request);
          return isThere ? undefined : registryError(status, code);
        },
      },
      occasions: ["first run", "kill"],
      ends: status === 404 && isCreated ? "well" : "either",
      says: /create the repository/,
    };
  },
  "address of an upload": ({ random }) => {
    const [text, write] = random.pick<[string, (path: string, request: StoreRequest) => string | undefined]>([
      ["a whole address", (path, { origin }) => origin + path],
      ["without a scheme", (path, { origin }) => origin.replace("http:", "") + path],
      ["relative to the request", (path) => path.replace(/.*\//, "")],
      ["relative, with a dot", (path) => `./${path.replace(/.*\//, "")}`],
      ["relative to the folder above", (path) => `../uploads/${path.replace(/.*\//, "")}`],
      ["with a signed query", (path) => `${path}?_state=a%2Bb%2Fc%3D%3D&x=a%20b`],
      ["with an empty query", (path) => `${path}?`],
      ["with a fragment", (path) => `${path}#x`],
      ["another name of the host", (path, { origin }) => origin.replace("127.0.0.1", "localhost") + path],
    ]);
    const omits = random.next() < 0.3;
    const query = text === "with a signed query" ? "_state=a%2Bb%2Fc%3D%3D&x=a%20b" : "";
    return {
      text: `${text}${omits ? ", none after the content" : ""}`,
      habit: {
        ...changeHeaders(isUpload, ({ location }, request) =>
          typeof location !== "string" || request.method === "PUT"
            ? {}
            : request.method === "PATCH" && omits
              ? { location: undefined }
              : { location: write(new URL(location, request.origin).pathname, request) },
        ),
        request: (request) =>
          isUpload(request) && request.method !== "POST" && !request.url.includes(query)
            ? registryError(403, "DENIED", "the signature is missing")
            : undefined,
      },
      occasions: ["first run", "renewal", "kill"],
      ends: "well",
    };
  },
  "place that takes no push": ({ random }) => {
    const answer = random.pick<StoreAnswer>([
      { status: 202, headers: {}, body: "" },
      { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Registry</h1>" },
      registryError(405, "UNSUPPORTED"),
      registryError(403, "DENIED", "read-only"),
      registryError(503, "UNAVAILABLE", "maintenance"),
      registryError(404, "NOT_FOUND"),
      { status: 307, headers: { location: "https://registry.example.com/v2/" }, body: "" },
      registryError(415, "UNSUPPORTED"),
    ]);
    return {
      text: `${answer.status} ${answer.body}`,
      habit: { request: answerWhen(isStep("POST"), () => answer) },
      occasions: ["first run", "renewal", "kill"],
      ends: "refused",
    };
  },
  "statuses and headers of an upload": ({ random }) => {
    const [made, taken] = [random.pick([200, 201, 202, 204]), random.pick([200, 201, 202, 204])];
    const range = random.pick(["0-0", "0-99999999", "bytes=0-10", "x", undefined]);
    const headers = { range, "oci-chunk-min-length": random.pick(["5242880", undefined]) };
    return {
      text: `${made}, ${taken}, ${JSON.stringify(headers)}`,
      habit: {
        answer: (usual, request) =>
          usual.status >= 300
            ? {}
            : request.method === "PUT"
              ? { status: made }
              : isUpload(request)
                ? { status: request.method === "POST" ? 202 : taken, headers: { ...usual.headers, ...headers } }
                : {},
      },
      occasions: ["first run", "renewal", "kill"],
      ends: "well",
    };
  },
  "digests and types of a manifest": ({ random }) => {
    const digest = random.pick([undefined, "", "sha512:00", `sha256:${"0".repeat(64)}`, "md5:x"]);
    const type = random.pick([
      undefined,
      "application/json",
      "text/plain",
      "application/vnd.oci.image.manifest.v1+json; charset=utf-8",
    ]);
    return {
      text: `${digest}, ${type}`,
      habit: changeHeaders(
        ({ url }) => url.includes("/manifests/") || url.includes("/blobs/"),
        () => ({ "docker-content-digest": digest, "content-type": type }),
      ),
      ends: "well",
    };
  },
  "blobs in a storage": ({ random }) => {
    const status = random.pick([301, 302, 303, 307, 308]);
    const isElsewhere = random.next() < 0.5;
    const isBlob = ({ method, url }: StoreRequest) =>
      /\/blobs\/sha256:/.test(url) && !url.includes("sig=") && (method === "GET" || method === "HEAD");
    return {
      text: `${status}, signed for GET alone${isElsewhere ? ", at another origin" : ""}`,
      habit: {
        request: ({ method, url, headers: { authorization } }) => {
          if (!url.includes("sig=")) {
            return authorization === basicAuthorization
              ? undefined
              : registryError(401, "UNAUTHORIZED", "x", { "www-authenticate": 'Basic realm="r"' });
          }
          // A storage refuses a request that has both a signed URL and an Authorization header.
          return method === "HEAD" || (isElsewhere && authorization !== undefined)
            ? { status: 403, headers: {}, body: "" }
            : undefined;
        },
        answer: (usual, request) => {
          const storage = isElsewhere ? request.origin.replace("127.0.0.1", "localhost") : request.origin;
          return usual.status === 200 && isBlob(request)
            ? { status, headers: { location: `${storage}${request.url}?sig=x` }, body: "" }
            : {};
        },
      },
      ends: "well",
    };
  },
  "looks at a blob": ({ random }) => {
    const status = random.pick([405, 405, 404]);
    return {
      text: `HEAD: ${status}`,
      habit: {
        request: answerWhen(
          ({ method, url }) => method === "HEAD" && url.includes("/blobs/"),
          () => ({ status, headers: {}, body: "" }),
        ),
      },
      ends: status === 405 ? "well" : "either",
    };
  },
  "upload that is lost once": ({ random }) => {
    const step = random.pick(["PATCH", "PUT"] as const);
    const answer = random.pick<StoreAnswer | "drop">([
      registryError(404, "BLOB_UPLOAD_UNKNOWN"),
      registryError(404, "BLOB_UNKNOWN"),
      registryError(416, "BLOB_UPLOAD_INVALID"),
      registryError(400, "BLOB_UPLOAD_INVALID"),
      registryError(500, "UNKNOWN"),
      "drop",
    ]);
    return {
      text: `${step}: ${answer === "drop" ? answer : `${answer.status} ${answer.body}`}`,
      habit: { request: firstOf(isStep(step), 1, () => answer) },
      occasions: ["first run", "renewal", "kill"],
      ends: answer === "drop" || answer.status === 500 ? "well" : "either",
    };
  },
  "answer that is lost once": ({ random }) => {
    const [what, is] = random.pick<readonly [string, (request: StoreRequest) => boolean]>([
      ["an upload that begins", isStep("POST")],
      ["the content", isStep("PATCH")],
      ["a blob that is complete", isStep("PUT")],
      ["a manifest", isManifest("PUT")],
    ]);
    const status = random.pick([500, 502, 504]);
    let isLost = false;
    return {
      text: `${what}: ${status}`,
      habit: {
        answer: (_, request) => {
          if (isLost || !is(request)) {
            return {};
          }
          isLost = true;
          return { status, headers: {}, body: "" };
        },
      },
      occasions: ["first run", "renewal", "kill"],
      ends: "well",
    };
  },
  "manifest that is refused late": ({ random }) => {
    const [status, code, often, says] = random.pick<readonly [...RegistryRefusal, number, RegExp?]>([
      [404, "MANIFEST_BLOB_UNKNOWN", 2],
      [400, "MANIFEST_BLOB_UNKNOWN", 1],
      [404, "BLOB_UNKNOWN", 1],
      [404, "MANIFEST_BLOB_UNKNOWN", 1_000, /lost a part/],
      [400, "MANIFEST_INVALID", 1_000, /refuses a manifest with the types/],
      [415, "UNSUPPORTED", 1_000, /refuses a manifest with the types/],
      [422, "MANIFEST_INVALID", 1_000, /refuses a manifest with the types/],
      [413, "SIZE_INVALID", 1_000, /upload of this size/],
      [403, "DENIED", 1_000, /allow these credentials/],
    ]);
    return {
      text: `${status} ${code}, ${often} times`,
      habit: { request: firstOf(isManifest("PUT"), often, () => registryError(status, code)) },
      occasions: ["first run", "renewal", "kill"],
      ends: often > 2 ? "refused" : "well",
      ...(says && { says }),
    };
  },
  "list of accepted types": ({ random }) => {
    const [text, accepted] = random.pick<[string, readonly string[]]>([
      ["images alone", [...imageTypes, layerType]],
      [
        "images and signatures",
        [
          ...imageTypes,
          layerType,
          "application/vnd.dev.sigstore.bundle.v0.3+json",
          "application/vnd.oci.empty.v1+json",
        ],
      ],
    ]);
    const status = random.pick([400, 415, 422]);
    return {
      text: `${text}, ${status}`,
      habit: {
        request: answerWhen(
          (request) =>
            isManifest("PUT")(request) &&
            typesIn(request.body).some((type) => type !== undefined && !accepted.includes(type)),
          () => registryError(status, "MANIFEST_INVALID"),
        ),
      },
      occasions: ["first run", "renewal", "kill"],
      ends: "refused",
      says: /refuses a manifest with the types .*bundle/,
      layout: "archive",
    };
  },
  "tags that are fixed": ({ random }) => {
    const [status, code] = random.pick<RegistryRefusal>([
      [400, "TAG_INVALID"],
      [409, "TAG_ALREADY_EXISTS"],
      [409, "CONFLICT"],
      [412, "PRECONDITION"],
    ]);
    const tags = new Map<string, string>();
    return {
      text: `${status} ${code}`,
      habit: {
        // Remembers the manifest of each tag that the mirror reads. The mirror overwrites only tags that it has read.
        answer: ({ status, body }, request) => {
          if (isManifest("GET")(request) && status === 200) {
            tags.set(requestedTag(request), String(body));
          }
          return {};
        },
        request: (request) =>
          isManifest("PUT")(request) &&
          (tags.get(requestedTag(request)) ?? String(request.body)) !== String(request.body)
            ? registryError(status, code)
            : undefined,
      },
      occasions: ["renewal"],
      layout: "site",
      ends: "refused",
      says: /allow tags to be overwritten/,
    };
  },
  "deletions that are refused": ({ random }) => {
    const [status, code] = random.pick<RegistryRefusal>([
      [400, "UNSUPPORTED"],
      [400, "DIGEST_INVALID"],
      [401, "UNAUTHORIZED"],
      [403, "DENIED"],
      [405, "UNSUPPORTED"],
      [501, "UNSUPPORTED"],
    ]);
    return {
      text: `${status} ${code}`,
      habit: {
        request: answerWhen(
          ({ method }) => method === "DELETE",
          () => registryError(status, code),
        ),
      },
      occasions: ["removal"],
      ends: "either",
    };
  },
  "busy for some requests": busyFamily(actOf, [
    registryError(429, "TOOMANYREQUESTS"),
    registryError(503, "UNAVAILABLE"),
    registryError(500, "UNKNOWN"),
    { status: 504, headers: { "content-type": "text/html" }, body: "<h1>504</h1>" },
  ]),
  "errors in other words": foreignErrorFamily(actOf),
  "not found, by another server than the registry": ({ random }) => {
    const act = random.pick(["read", "look", "list"] as const);
    const foreign = random.pick([
      () => drawForeignBody(random),
      () => ({ headers: { "content-type": "text/plain" }, body: "404 page not found\n" }),
      () => ({ headers: { "content-type": "text/plain" }, body: "default backend - 404" }),
      () => ({
        headers: { "content-type": "application/json" },
        body: '{"errors":[{"status":404,"message":"Not Found"}]}',
      }),
      () => ({ headers: { "content-type": "application/json" }, body: '{"errors":[]}' }),
      () => registryError(404, "UNSUPPORTED"),
    ])();
    return {
      text: `${act}: ${String(foreign.body).slice(0, 40)}`,
      habit: { request: (request) => (actOf(request) === act ? { ...foreign, status: 404 } : undefined) },
      ends: "either",
    };
  },
  "not found, without a code": ({ random }) => {
    const bodies = ["", "not found", "{}", '{"errors":[{"message":"manifest unknown"}]}'] as const;
    const body = random.pick(bodies);
    return {
      text: body,
      habit: {
        answer: ({ status }, request) => (status === 404 && isManifest("GET")(request) ? { body } : {}),
      },
      ends: "well",
    };
  },
  "list of referrers": ({ random }) => {
    const answer = random.pick<StoreAnswer>([
      registryError(404, "NOT_FOUND"),
      registryError(400, "UNSUPPORTED"),
      registryError(405, "UNSUPPORTED"),
      registryError(501, "UNSUPPORTED"),
      { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Registry</h1>" },
      { status: 200, headers: {}, body: '{"manifests":null}' },
    ]);
    return {
      text: `${answer.status} ${answer.body}`,
      habit: {
        request: answerWhen(
          ({ url }) => url.includes("/referrers/"),
          () => answer,
        ),
      },
      ends: "well",
    };
  },
  ...scopedTokenFamilies,
  "deletions that find nothing": ({ random }) => {
    const answer = random.pick<StoreAnswer>([
      registryError(404, "UNSUPPORTED"),
      registryError(404, "NOT_FOUND"),
      registryError(404, "MANIFEST_UNKNOWN"),
      { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" },
      { status: 404, headers: {}, body: "" },
    ]);
    const isOfTags = random.next() < 0.5;
    return {
      text: `${answer.body}${isOfTags ? ", for a tag" : ""}`,
      habit: {
        request: answerWhen(
          (request) => isManifest("DELETE")(request) && !(isOfTags && requestedTag(request).startsWith("sha256:")),
          () => answer,
        ),
      },
      occasions: ["removal"],
      ends: "either",
    };
  },
  "deletion whose answer is lost once": ({ random }) => {
    const [at, status] = [random.whole(1, 2), random.pick([500, 502, 504])];
    let count = 0;
    return {
      text: `deletion ${at}: ${status}`,
      habit: {
        answer: (_, request) =>
          isManifest("DELETE")(request) && ++count === at ? { status, headers: {}, body: "" } : {},
      },
      occasions: ["removal"],
      ends: "well",
    };
  },
};
