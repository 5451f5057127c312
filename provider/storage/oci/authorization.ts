import { parseJsonObject } from "../../support/parseJsonObject";
import { registerToken } from "../../support/redact";
import type { RegistryCredentials } from "./credentials";
import { type RegistryAnswer, RegistryRefusalError } from "./error";

export type Challenge = { scheme: "basic" } | { scheme: "bearer"; realm: string; service: string | undefined };

/** Parses `WWW-Authenticate`, which may contain several challenges. Schemes other than Basic and Bearer are ignored. */
export function parseChallenge(header: string | string[] | undefined): Challenge | undefined {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, scheme, name = "", quoted, bare = ""] of [header ?? []].flat().join(", ").matchAll(challengePart)) {
    if (scheme !== undefined) {
      challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    } else {
      challenges.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? bare);
    }
  }
  const bearer = challenges.find(
    ({ scheme, parameters }) => scheme === "bearer" && parameters.has("realm"),
  )?.parameters;
  if (bearer !== undefined) {
    return { scheme: "bearer", realm: bearer.get("realm") ?? "", service: bearer.get("service") };
  }
  return challenges.some(({ scheme }) => scheme === "basic") ? { scheme: "basic" } : undefined;
}

/** Matches a parameter (`name="value"` or `name=value`), or a scheme's name. */
const challengePart =
  /(?<![a-z_])(?:([a-z]+)(?=\s+[a-z_]+=|\s*(?:,|$))|([a-z_]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))/gi;

export interface ExpiringAuthorization {
  header: string;
  /** In milliseconds. */
  lifetime: number;
}

/** By the specification, a token without a lifetime is valid for this time, in seconds. */
const defaultLife = 60;

/** Returns the request for a token, in the form that fits the credentials. */
export function createTokenRequest(
  realm: URL,
  service: string | undefined,
  scope: string,
  credentials: RegistryCredentials | undefined,
) {
  const query = new URLSearchParams(realm.searchParams);
  if (service !== undefined) {
    query.set("service", service);
  }
  query.set("scope", scope);
  const address = new URL(realm);
  address.search = "";
  if (credentials?.kind === "identity") {
    const client = { grant_type: "refresh_token", refresh_token: credentials.token, client_id: "pulumi-docs-platform" };
    const body = new URLSearchParams([...query, ...Object.entries(client)]).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { address, method: "POST" as const, headers, body };
  }
  const headers: Record<string, string> =
    credentials === undefined ? {} : { authorization: formatBasicAuthorization(credentials) };
  address.search = query.toString();
  return { address, method: "GET" as const, headers };
}

/** @throws RegistryRefusalError if the authority gives no token. */
export function readToken(answer: RegistryAnswer): ExpiringAuthorization {
  const { token, access_token: accessToken = token, expires_in: life } = parseJsonObject(answer.body.toString()) ?? {};
  if (answer.status !== 200 || typeof accessToken !== "string") {
    throw new RegistryRefusalError(answer.status === 200 ? { ...answer, status: 401 } : answer);
  }
  registerToken(accessToken);
  const seconds = typeof life === "number" && life > 0 ? life : defaultLife;
  return { header: `Bearer ${accessToken}`, lifetime: seconds * 1_000 };
}

export function formatBasicAuthorization({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
