import { type HostPattern, isLoopback, parseHostPattern } from "../support/hostNames";
import { identifierProblem } from "../support/identifier";
import { hideKey } from "../support/redact";
import { parseDuration } from "../support/time/duration";
import { words } from "../support/words";
import { bearerTokenProblem, splitCommand } from "./apiKeyText";
import { type HeaderFields, parseHeaderFields } from "./headerFields";
import { certificateFileProblem, keyFileProblem } from "./pemFile";
import { parseRouteTemplates, type RouteTemplates } from "./routeTemplates";

/** One setting. The environment and the stack's configuration hold it as a text. */
export interface Setting<T> {
  name: string;
  /** The environment variable. */
  variable: string;
  /** The default, as a text. Without a default the setting is required, unless it is optional. */
  fallback?: string;
  optional?: true;
  /** Stored encrypted, and never shown. */
  secret?: true;
  /** Set where the text is a JSON object of texts, which a program may also give as an object. */
  texts?: true;
  /** Set where a program may also give the setting as a number. */
  number?: "integer" | "number";
  parse(text: string): T | { problem: string };
}

/**
 * The admin API key of the platform: any bearer token. Required, unless `apiKeyFile` or `apiKeyCommand` tells it. It is
 * removed from every message by its value.
 */
export const apiKey: Setting<string> = {
  name: "apiKey",
  variable: "DOCS_PLATFORM_API_KEY",
  secret: true,
  parse: (text) => {
    // Whatever is taken for a key comes by here. It is hidden also where it is refused.
    hideKey(text);
    const problem = bearerTokenProblem(text);
    return problem === undefined ? text : { problem };
  },
};

/**
 * A file that holds the admin API key and nothing else, such as a mounted secret. It is read at the first request, and again
 * when the platform does not accept the key any more (401). One of `apiKey`, `apiKeyFile` and `apiKeyCommand` is given.
 */
export const apiKeyFile: Setting<string | undefined> = {
  name: "apiKeyFile",
  variable: "DOCS_PLATFORM_API_KEY_FILE",
  optional: true,
  parse: (text) => text,
};

/**
 * A command that prints the admin API key and nothing else, within 30 seconds: a program and its arguments, in quotes where
 * they hold blanks. No shell reads it; where you need one, write `sh -c "…"`. It runs at the first request, and again when
 * the platform does not accept the key any more (401).
 */
export const apiKeyCommand: Setting<readonly string[] | undefined> = {
  name: "apiKeyCommand",
  variable: "DOCS_PLATFORM_API_KEY_COMMAND",
  optional: true,
  parse: splitCommand,
};

/** Where the platform is, without an API version: https, or http to a loopback address. Required. */
export const baseUrl: Setting<URL> = {
  name: "baseUrl",
  variable: "DOCS_PLATFORM_BASE_URL",
  parse: (text) => {
    if (!URL.canParse(text)) {
      return { problem: "is not a URL such as https://api.example.com" };
    }
    const url = new URL(text);
    if (url.username || url.password) {
      return { problem: "must not contain a user name or a password" };
    }
    if (url.search || url.hash) {
      return { problem: "must not contain a query or a fragment" };
    }
    const [versioned, beforeVersion] = /^(.*)\/v[12]\/*$/.exec(url.pathname) ?? [];
    if (versioned !== undefined) {
      return {
        problem: `must not end in the API's version, which each request adds: use ${url.origin}${beforeVersion}`,
      };
    }
    if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
      return url;
    }
    return {
      problem:
        "must use https (plain http is allowed only for a loopback address, because it sends the key unencrypted)",
    };
  },
};

/** The limit of one request, as a Go duration of at most `"10m"`. */
export const requestTimeout: Setting<number> = {
  name: "requestTimeout",
  variable: "DOCS_PLATFORM_REQUEST_TIMEOUT",
  fallback: "30s",
  parse: (text) => {
    const duration = parseDuration(text);
    return duration !== undefined && duration >= 1 && duration <= 600_000
      ? duration
      : { problem: 'must be a duration such as "30s", of at most "10m"' };
  },
};

/**
 * How often one request is repeated after a fault that may pass by itself: from 0 to 20. A wait repeats its polls: it ends when
 * one more than this number fail in a row. While it is not set, a 429 that names the time of the next try (`Retry-After`) does not count: it
 * is waited out for as long as the run may wait.
 */
export const maxRetries: Setting<number> = {
  name: "maxRetries",
  variable: "DOCS_PLATFORM_MAX_RETRIES",
  fallback: "4",
  number: "integer",
  parse: (text) =>
    /^\d{1,2}$/.test(text) && Number(text) <= 20 ? Number(text) : { problem: "must be a whole number from 0 to 20" },
};

/** The limit of requests a second, for all resources of the process together: above 0, at most 1000. Default: unlimited. */
export const maxRequestsPerSecond: Setting<number | undefined> = {
  name: "maxRequestsPerSecond",
  variable: "DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND",
  optional: true,
  number: "number",
  parse: (text) => {
    const rate = Number(text);
    return rate > 0 && rate <= 1_000 ? rate : { problem: "must be a number above 0, and at most 1000" };
  },
};

/** Where a person finds the project id ("Authentication" in the API text). */
export const projectIdPlace = "the API keys page of the dashboard shows the project id";

/** Identifier of the project, which the API keys page of the dashboard shows. Operations on agent jobs need it. */
export const projectId: Setting<string | undefined> = {
  name: "projectId",
  variable: "DOCS_PLATFORM_PROJECT_ID",
  optional: true,
  parse: (text) => {
    const problem = identifierProblem(text);
    return problem === undefined ? text : { problem: `${problem} (${projectIdPlace})` };
  },
};

/**
 * Other paths of operations, below the base URL: an object of templates, as JSON where a text is asked for. Its names are
 * `"startExport"`, `"getExport"`, `"generateBundle"`, `"sendMessage"` and `"getAgentJob"`; a template holds `{jobId}` (exports), or `{id}` and
 * perhaps `{projectId}` (agent jobs). Default: the paths of the API text, which does not show the last one:
 * `/v2/agent/{projectId}/job/{id}` is assumed.
 */
export const routes: Setting<RouteTemplates | undefined> = {
  name: "routes",
  variable: "DOCS_PLATFORM_ROUTES",
  optional: true,
  texts: true,
  parse: parseRouteTemplates,
};

/**
 * The only hosts where links to bundles, and redirects of these links, may lead: names or addresses, separated by commas.
 * `*.example.com` means every name below `example.com`. Default: every host.
 */
export const linkHosts: Setting<readonly HostPattern[] | undefined> = {
  name: "linkHosts",
  variable: "DOCS_PLATFORM_LINK_HOSTS",
  optional: true,
  parse: (text) => {
    const hosts = text.split(",").map((host) => parseHostPattern(host.trim()));
    return hosts.every((host) => host !== undefined)
      ? hosts
      : { problem: "must be host names separated by commas, such as files.example.com or *.example.com" };
  },
};

/** A file of certificates (PEM) of authorities that are trusted beside those that Node.js knows. */
export const caFile: Setting<string | undefined> = {
  name: "caFile",
  variable: "DOCS_PLATFORM_CA_FILE",
  optional: true,
  parse: (text) => checked(text, certificateFileProblem),
};

/** A file with the certificate (PEM) that this client shows to the platform, and the chain below it. It needs `clientKeyFile`. */
export const clientCertFile: Setting<string | undefined> = {
  name: "clientCertFile",
  variable: "DOCS_PLATFORM_CLIENT_CERT_FILE",
  optional: true,
  parse: (text) => checked(text, certificateFileProblem),
};

/** A file with the private key (PEM, not encrypted) of `clientCertFile`. */
export const clientKeyFile: Setting<string | undefined> = {
  name: "clientKeyFile",
  variable: "DOCS_PLATFORM_CLIENT_KEY_FILE",
  optional: true,
  parse: (text) => checked(text, keyFileProblem),
};

/**
 * More header fields for the requests to the platform, such as a gateway before it wants: a JSON object of texts. They are
 * sent to the base URL's origin only.
 */
export const headers: Setting<HeaderFields | undefined> = {
  name: "headers",
  variable: "DOCS_PLATFORM_HEADERS",
  optional: true,
  secret: true,
  parse: parseHeaderFields,
};

/**
 * Where starts are recorded until they are in the state: a folder, or `s3://bucket/prefix?region=…&endpoint=…` or
 * `azblob://account/container/prefix`, which machines can share. Default: `docs-platform/` in the Pulumi home.
 */
export const journal: Setting<string | undefined> = {
  name: "journal",
  variable: "DOCS_PLATFORM_JOURNAL",
  optional: true,
  parse: (text) => text,
};

/** With `true`, a journal that cannot be written is an error before anything is sent; with `false` it is a warning. */
export const journalRequired: Setting<boolean> = {
  name: "journalRequired",
  variable: "DOCS_PLATFORM_JOURNAL_REQUIRED",
  fallback: "false",
  parse: (text) => (/^(true|false)$/.test(text) ? text === "true" : { problem: "must be true or false" }),
};

/**
 * Codes of starts whose answer was lost, separated by commas. The error `DOCS_AMBIGUOUS_START` shows the code. Give it after
 * you have seen on the platform that this start created nothing: then it is sent again.
 */
export const notStarted: Setting<readonly string[] | undefined> = {
  name: "notStarted",
  variable: "DOCS_PLATFORM_NOT_STARTED",
  optional: true,
  parse: (text) =>
    /^[0-9a-f]{12}(\s*,\s*[0-9a-f]{12})*$/.test(text)
      ? text.split(",").map((code) => code.trim())
      : { problem: "must be the code of 12 digits and letters from the error, or several codes separated by commas" },
};

function checked(path: string, problemOf: (path: string) => string | undefined): string | { problem: string } {
  const problem = problemOf(path);
  return problem === undefined ? path : { problem };
}

/** Every setting, in the order of the documents. */
export const allSettings: readonly Setting<unknown>[] = [
  apiKey,
  apiKeyFile,
  apiKeyCommand,
  baseUrl,
  projectId,
  requestTimeout,
  maxRetries,
  maxRequestsPerSecond,
  routes,
  linkHosts,
  caFile,
  clientCertFile,
  clientKeyFile,
  headers,
  journal,
  journalRequired,
  notStarted,
];

/** How to give the project id. An agent operation that lacks it shows this text. */
export function projectIdAdvice(): string {
  return `${howToGive(projectId)} (${projectIdPlace})`;
}

/** Names both places where a setting may be given, for an error about its value. */
export function placesOf({ name, variable }: Setting<unknown>): string {
  return `${variable} (or ${words.place(name)})`;
}

/** Describes both ways to give a setting, for an error about a missing one. */
export function howToGive(setting: Setting<unknown>): string {
  return `set ${setting.variable} in the environment, or ${words.give(setting.name, setting.secret ?? false)}`;
}
