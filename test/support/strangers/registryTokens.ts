import { isManifest, type RegistryRefusal, registryError } from "./registryRequests";
import type { StoreAnswer, StoreHabit, StoreRequest } from "./storeFront";
import type { StoreFamilies } from "./stores";

export const registryUser = { username: "robot", password: "pa55word-of-the-robot" };
export const basicAuthorization = `Basic ${Buffer.from(`${registryUser.username}:${registryUser.password}`).toString("base64")}`;
export const registryTokens = { auth: basicAuthorization.slice(6), access: "t0ken-of-the-registry" };

const denials: readonly [RegistryRefusal, ...RegistryRefusal[]] = [
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
function scopedTokens(
  rights: readonly string[],
  refusal: StoreAnswer | undefined,
  denied: RegistryRefusal,
): StoreHabit {
  const deny = ([status, code]: RegistryRefusal, { origin }: StoreRequest) =>
    registryError(status, code, code, {
      "www-authenticate": `Bearer realm="${origin}/token",error="insufficient_scope"`,
    });
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
    // For a missing manifest, a token without the right to push gets a denial in place of the status 404.
    answer: ({ status }, request) =>
      status === 404 && isManifest("GET")(request) && !permits(request, "push") ? deny(denied, request) : {},
  };
}

/** The registries that demand credentials or a token in an unusual way, or that refuse them. */
export const credentialFamilies: StoreFamilies = {
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
            return headers.authorization === basicAuthorization && isComplete
              ? { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(token) }
              : registryError(401, "UNAUTHORIZED");
          }
          const isBasic = /^basic realm=(registry|"Amazon)/i.test(String(header));
          return headers.authorization === (isBasic ? basicAuthorization : `Bearer ${access}`)
            ? undefined
            : registryError(401, "UNAUTHORIZED", "authentication required", { "www-authenticate": forms(origin) });
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
            : registryError(401, "UNAUTHORIZED", "x", { "www-authenticate": `Bearer realm="${origin}/token"` });
        },
      },
      ends: "well",
    };
  },
  "authority that gives no token": ({ random, secrets }) => {
    const answer = random.pick<StoreAnswer>([
      registryError(401, "UNAUTHORIZED", secrets.join()),
      registryError(403, "DENIED"),
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
            : registryError(401, "UNAUTHORIZED", "x", {
                "www-authenticate": `Bearer realm="${origin}/token",service="r"`,
              }),
      },
      ends: "refused",
    };
  },
  "credentials that are refused": ({ random, secrets }) => {
    const [status, code] = random.pick<RegistryRefusal>([
      [401, "UNAUTHORIZED"],
      [403, "DENIED"],
      [401, "NAME_UNKNOWN"],
      [403, "quota exceeded"],
    ]);
    return {
      text: `${status} ${code}`,
      habit: { request: () => registryError(status, code, secrets.join()) },
      ends: "refused",
      says: /docker login|allow these credentials/,
    };
  },
};

/** The registries whose tokens permit only single actions. */
export const scopedTokenFamilies: StoreFamilies = {
  "tokens for the requested actions": ({ random }) => {
    const [, code] = random.pick(denials);
    return {
      text: code,
      habit: scopedTokens(["pull", "push", "delete"], undefined, [401, code]),
      ends: "well",
    };
  },
  "credentials that may only read": ({ random }) => {
    const [status, code] = random.pick<RegistryRefusal>([...denials, [400, "UNSUPPORTED"]]);
    const denied = random.pick(denials);
    return {
      text: `${status} ${code}, ${denied}`,
      habit: scopedTokens(["pull"], registryError(status, code), denied),
      occasions: ["unchanged run"],
      ends: "well",
    };
  },
  "credentials that may not push": ({ random }) => {
    const refusal = random.pick([registryError(...random.pick(denials)), undefined]);
    const denied = random.pick(denials);
    return {
      text: `${refusal?.status ?? "a token for less"}, ${denied}`,
      habit: scopedTokens(["pull"], refusal, denied),
      occasions: ["first run", "renewal", "kill"],
      ends: "refused",
      says: /docker login|allow these credentials/,
    };
  },
};
