import type { StoreAnswer, StoreHabit, StoreRequest } from "./storeFront";
import { firstOf } from "./storeFront";
import { type ActOf, busyFamily, drawForeignBody, foreignErrorFamily, type StoreFamilies } from "./stores";

/* Real registries give these answers. The simplest registry that follows the specification does not give them. */

const actOf: ActOf = ({ method, url }) => {
  if (url.includes("/manifests/")) {
    return ({ GET: "read", PUT: "write", DELETE: "remove" } as const)[method as "GET"];
  }
  return url.includes("/blobs/uploads") ? "list" : "look";
};

type Refusal = readonly [status: number, code: string];

const isUpload = ({ url }: StoreRequest) => url.includes("/blobs/uploads/");
const isStep = (step: "POST" | "PATCH" | "PUT") => (request: StoreRequest) =>
  isUpload(request) && request.method === step;
const isManifest = (method: string) => (request: StoreRequest) =>
  request.method === method && request.url.includes("/manifests/");
const tagOf = ({ url }: StoreRequest) => url.replace(/.*\/manifests\//, "");

function errorOf(status: number, code: string, message = code, headers = {}): StoreAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ errors: [{ code, message, detail: null }] }),
  };
}

const when =
  (
    is: (request: StoreRequest) => boolean,
    answer: (request: StoreRequest) => StoreAnswer,
  ): NonNullable<StoreHabit["request"]> =>
  (request) =>
    is(request) ? answer(request) : undefined;

const headersOf = (
  is: (request: StoreRequest) => boolean,
  change: (headers: StoreAnswer["headers"], request: StoreRequest) => StoreAnswer["headers"],
): StoreHabit => ({
  answer: ({ status, headers }, request) =>
    is(request) && status < 400 ? { headers: { ...headers, ...change(headers, request) } } : {},
});

const imageTypes = ["manifest", "index", "config"].map((part) => `application/vnd.oci.image.${part}.v1+json`);
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";
function typesIn(body: Buffer): (string | undefined)[] {
  const { mediaType, artifactType, config, layers = [] } = JSON.parse(body.toString());
  return [mediaType, artifactType, config?.mediaType, ...layers.map((layer: { mediaType: string }) => layer.mediaType)];
}

export const registryUser = { username: "robot", password: "pa55word-of-the-robot" };
const basic = `Basic ${Buffer.from(`${registryUser.username}:${registryUser.password}`).toString("base64")}`;
export const registryTokens = { auth: basic.slice(6), access: "t0ken-of-the-registry" };

const denials: readonly [Refusal, ...Refusal[]] = [
  [401, "UNAUTHORIZED"],
  [401, "DENIED"],
  [403, "DENIED"],
];

/**
 * Makes a registry whose tokens permit only single actions.
 * @param rights the actions that the user may do.
 * @param refusal the authority's answer if the user may not do all requested actions. If it is undefined, the authority
 * gives a token for the permitted actions.
 * @param denied the registry's answer to a token that does not permit a request.
 */
function scopedTokens(rights: readonly string[], refusal: StoreAnswer | undefined, denied: Refusal): StoreHabit {
  const deny = ([status, code]: Refusal, { origin }: StoreRequest) =>
    errorOf(status, code, code, { "www-authenticate": `Bearer realm="${origin}/token",error="insufficient_scope"` });
  const permits = ({ headers }: StoreRequest, action: string) => headers.authorization?.includes(`-${action}`);
  const isRead = ({ method }: StoreRequest) => method === "GET" || method === "HEAD";
  return {
    request: (request) => {
      const { url, headers, origin } = request;
      if (url.startsWith("/token")) {
        const asked = new URL(url, origin).searchParams.get("scope")?.replace(/.*:/, "").split(",") ?? [];
        const given = asked.filter((action) => rights.includes(action));
        const body = JSON.stringify({ token: [registryTokens.access, ...given].join("-") });
        return refusal !== undefined && given.length < asked.length ? refusal : { status: 200, headers: {}, body };
      }
      if (headers.authorization === undefined) {
        return deny([401, "UNAUTHORIZED"], request);
      }
      const needed = isRead(request) ? "pull" : isManifest("DELETE")(request) ? "delete" : "push";
      return permits(request, needed) ? undefined : deny(denied, request);
    },
    // If a manifest is missing, this registry denies a read with a token that does not permit a push.
    answer: ({ status }, request) =>
      status === 404 && isManifest("GET")(request) && !permits(request, "push") ? deny(denied, request) : {},
  };
}

export const registryFamilies: StoreFamilies = {
  "challenge for credentials": ({ random }) => {
    const realm = (origin: string) =>
      random.pick([`${origin}/token`, "/token", `${origin}/token?account=a%20b`, `${origin}/v2/../token`]);
    const scheme = random.pick(["Bearer", "bearer", "BEARER"]);
    const [service, forms] = random.pick<readonly [string | null, (origin: string) => string | string[]]>([
      ["r", (origin) => `${scheme} realm="${realm(origin)}",service="r"`],
      [null, (origin) => `${scheme} realm="${realm(origin)}"`],
      ["r", (origin) => `${scheme} service=r, realm="${realm(origin)}", error="invalid_token"`],
      ["r", (origin) => `Basic realm="r, x=\\"y\\"", ${scheme} realm="${realm(origin)}",service=r,scope="a:b:c,d"`],
      ['a "b" c', (origin) => ['Basic realm="r"', `${scheme} realm="${realm(origin)}",service="a \\"b\\" c"`]],
      ["r", (origin) => ["Negotiate", `${scheme}   realm="${realm(origin)}" , service="r"`]],
      [null, (origin) => `Digest realm="d", nonce="n", qop="auth", ${scheme} realm="${realm(origin)}"`],
      [null, () => 'Basic realm="Amazon ECR",service="ecr"'],
      [null, () => "basic realm=registry"],
    ]);
    const access = registryTokens.access;
    const token = random.pick<object>([
      { token: access },
      { access_token: access },
      { token: access, access_token: access, expires_in: 300, issued_at: "2026-01-01T00:00:00Z" },
      { token: access, expires_in: 0 },
      { token: access, expires_in: "300" },
      { access_token: access, refresh_token: "r", expires_in: 1, token_type: "Bearer" },
      { token: access, expires_in: null, issued_at: "0001-01-01T00:00:00Z" },
    ]);
    const header = forms("");
    return {
      text: `${header}, ${Object.keys(token)}`,
      habit: {
        request: ({ url, headers, origin }) => {
          if (url.startsWith("/token")) {
            const { searchParams: asked } = new URL(url, origin);
            const isComplete =
              asked.get("service") === service && /^repository:[^:]+:pull/.test(asked.get("scope") ?? "");
            return headers.authorization === basic && isComplete
              ? { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(token) }
              : errorOf(401, "UNAUTHORIZED");
          }
          const isBasic = /^basic realm=(registry|"Amazon)/i.test(String(header));
          return headers.authorization === (isBasic ? basic : `Bearer ${access}`)
            ? undefined
            : errorOf(401, "UNAUTHORIZED", "authentication required", { "www-authenticate": forms(origin) });
        },
      },
      ends: "well",
    };
  },
  "tokens that end": ({ random }) => {
    const life = random.whole(3, 8);
    const left = new Map<string, number>();
    return {
      text: `after ${life} requests`,
      habit: {
        request: ({ url, headers: { authorization = "" }, origin }) => {
          if (url.startsWith("/token")) {
            const token = `${registryTokens.access}-${left.size}`;
            left.set(`Bearer ${token}`, life);
            return { status: 200, headers: {}, body: JSON.stringify({ token }) };
          }
          const rest = left.get(authorization) ?? 0;
          left.set(authorization, rest - 1);
          return rest > 0
            ? undefined
            : errorOf(401, "UNAUTHORIZED", "x", { "www-authenticate": `Bearer realm="${origin}/token"` });
        },
      },
      ends: "well",
    };
  },
  "authority that gives no token": ({ random, secrets }) => {
    const answer = random.pick<StoreAnswer>([
      errorOf(401, "UNAUTHORIZED", secrets.join()),
      errorOf(403, "DENIED"),
      { status: 200, headers: {}, body: "<html>Sign in</html>" },
      { status: 200, headers: {}, body: '{"token":null}' },
      { status: 200, headers: {}, body: '{"token":""}' },
      { status: 404, headers: {}, body: "" },
      { status: 302, headers: { location: "https://login.example.com/" }, body: "" },
    ]);
    return {
      text: `${answer.status} ${answer.body}`,
      habit: {
        request: ({ url, origin }) =>
          url.startsWith("/token")
            ? answer
            : errorOf(401, "UNAUTHORIZED", "x", { "www-authenticate": `Bearer realm="${origin}/token",service="r"` }),
      },
      ends: "refused",
    };
  },
  "credentials that are refused": ({ random, secrets }) => {
    const [status, code] = random.pick<Refusal>([
      [401, "UNAUTHORIZED"],
      [403, "DENIED"],
      [401, "NAME_UNKNOWN"],
      [403, "quota exceeded"],
    ]);
    return {
      text: `${status} ${code}`,
      habit: { request: () => errorOf(status, code, secrets.join()) },
      ends: "refused",
      says: /docker login|allow these credentials/,
    };
  },
  "repository that does not exist before a push": ({ random }) => {
    const [status, code] = random.pick<Refusal>([
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
          return isThere ? undefined : errorOf(status, code);
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
        ...headersOf(isUpload, ({ location }, request) =>
          typeof location !== "string" || request.method === "PUT"
            ? {}
            : request.method === "PATCH" && omits
              ? { location: undefined }
              : { location: write(new URL(location, request.origin).pathname, request) },
        ),
        request: (request) =>
          isUpload(request) && request.method !== "POST" && !request.url.includes(query)
            ? errorOf(403, "DENIED", "the signature is missing")
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
      errorOf(405, "UNSUPPORTED"),
      errorOf(403, "DENIED", "read-only"),
      errorOf(503, "UNAVAILABLE", "maintenance"),
      errorOf(404, "NOT_FOUND"),
      { status: 307, headers: { location: "https://registry.example.com/v2/" }, body: "" },
      errorOf(415, "UNSUPPORTED"),
    ]);
    return {
      text: `${answer.status} ${answer.body}`,
      habit: { request: when(isStep("POST"), () => answer) },
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
      habit: headersOf(
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
            return authorization === basic
              ? undefined
              : errorOf(401, "UNAUTHORIZED", "x", { "www-authenticate": 'Basic realm="r"' });
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
        request: when(
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
      errorOf(404, "BLOB_UPLOAD_UNKNOWN"),
      errorOf(404, "BLOB_UNKNOWN"),
      errorOf(416, "BLOB_UPLOAD_INVALID"),
      errorOf(400, "BLOB_UPLOAD_INVALID"),
      errorOf(500, "UNKNOWN"),
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
    const [status, code, often, says] = random.pick<readonly [...Refusal, number, RegExp?]>([
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
      habit: { request: firstOf(isManifest("PUT"), often, () => errorOf(status, code)) },
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
        request: when(
          (request) =>
            isManifest("PUT")(request) &&
            typesIn(request.body).some((type) => type !== undefined && !accepted.includes(type)),
          () => errorOf(status, "MANIFEST_INVALID"),
        ),
      },
      occasions: ["first run", "renewal", "kill"],
      ends: "refused",
      says: /refuses a manifest with the types .*bundle/,
      layout: "archive",
    };
  },
  "tags that are fixed": ({ random }) => {
    const [status, code] = random.pick<Refusal>([
      [400, "TAG_INVALID"],
      [409, "TAG_ALREADY_EXISTS"],
      [409, "CONFLICT"],
      [412, "PRECONDITION"],
    ]);
    const tags = new Map<string, string>();
    return {
      text: `${status} ${code}`,
      habit: {
        // Remembers the manifest of each tag that the mirror reads. The mirror overwrites no other tag.
        answer: ({ status, body }, request) => {
          if (isManifest("GET")(request) && status === 200) {
            tags.set(tagOf(request), String(body));
          }
          return {};
        },
        request: (request) =>
          isManifest("PUT")(request) && (tags.get(tagOf(request)) ?? String(request.body)) !== String(request.body)
            ? errorOf(status, code)
            : undefined,
      },
      occasions: ["renewal"],
      layout: "site",
      ends: "refused",
      says: /allow tags to be overwritten/,
    };
  },
  "deletions that are refused": ({ random }) => {
    const [status, code] = random.pick<Refusal>([
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
        request: when(
          ({ method }) => method === "DELETE",
          () => errorOf(status, code),
        ),
      },
      occasions: ["removal"],
      ends: "either",
    };
  },
  "busy for some requests": busyFamily(actOf, [
    errorOf(429, "TOOMANYREQUESTS"),
    errorOf(503, "UNAVAILABLE"),
    errorOf(500, "UNKNOWN"),
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
      () => errorOf(404, "UNSUPPORTED"),
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
      errorOf(404, "NOT_FOUND"),
      errorOf(400, "UNSUPPORTED"),
      errorOf(405, "UNSUPPORTED"),
      errorOf(501, "UNSUPPORTED"),
      { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Registry</h1>" },
      { status: 200, headers: {}, body: '{"manifests":null}' },
    ]);
    return {
      text: `${answer.status} ${answer.body}`,
      habit: {
        request: when(
          ({ url }) => url.includes("/referrers/"),
          () => answer,
        ),
      },
      ends: "well",
    };
  },
  "tokens for the requested actions": ({ random }) => {
    const [, code] = random.pick(denials);
    return {
      text: code,
      habit: scopedTokens(["pull", "push", "delete"], undefined, [401, code]),
      ends: "well",
    };
  },
  "credentials that may only read": ({ random }) => {
    const [status, code] = random.pick<Refusal>([...denials, [400, "UNSUPPORTED"]]);
    const denied = random.pick(denials);
    return {
      text: `${status} ${code}, ${denied}`,
      habit: scopedTokens(["pull"], errorOf(status, code), denied),
      occasions: ["unchanged run"],
      ends: "well",
    };
  },
  "credentials that may not push": ({ random }) => {
    const refusal = random.pick([errorOf(...random.pick(denials)), undefined]);
    const denied = random.pick(denials);
    return {
      text: `${refusal?.status ?? "a token for less"}, ${denied}`,
      habit: scopedTokens(["pull"], refusal, denied),
      occasions: ["first run", "renewal", "kill"],
      ends: "refused",
      says: /docker login|allow these credentials/,
    };
  },
  "deletions that find nothing": ({ random }) => {
    const answer = random.pick<StoreAnswer>([
      errorOf(404, "UNSUPPORTED"),
      errorOf(404, "NOT_FOUND"),
      errorOf(404, "MANIFEST_UNKNOWN"),
      { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" },
      { status: 404, headers: {}, body: "" },
    ]);
    const isOfTags = random.next() < 0.5;
    return {
      text: `${answer.body}${isOfTags ? ", for a tag" : ""}`,
      habit: {
        request: when(
          (request) => isManifest("DELETE")(request) && !(isOfTags && tagOf(request).startsWith("sha256:")),
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
