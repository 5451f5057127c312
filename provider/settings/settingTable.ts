import { isAbsolute } from "node:path";
import { identifierProblem } from "../support/identifier";
import { hideKey } from "../support/redact";
import { parseDuration } from "../support/time/duration";
import { snakeCase, words } from "../support/words";
import { bearerTokenProblem, splitCommand } from "./apiKeyText";
import { parseBaseUrl } from "./baseUrlText";
import { type HeaderFields, parseHeaderFields } from "./headerFields";
import { certificateFileProblem, keyFileProblem, signingKeyFileProblem } from "./pemFile";
import { parseRouteTemplates, type RouteTemplates } from "./routeTemplates";

/**
 * The sources of a setting, in order of precedence; the default comes last. The environment comes before the stack's
 * configuration, because `refresh` and `destroy` get the configuration of the last `up`: a rotated key in the
 * environment must take precedence.
 */
export const settingSources = ["argument", "stateCopy", "environment", "config"] as const;
export type SettingSource = (typeof settingSources)[number];

/** A problem of a setting prevents only the operations that need its part. */
export type SettingPart = "key" | "platform" | "signing" | "journal";

/** One setting. The environment and the stack's configuration give it as a text. */
export interface Setting<T> {
  name: string;
  variable: string;
  part: SettingPart;
  /** Default: all sources. */
  from: readonly SettingSource[];
  /** The default, as a text. Without a default the setting is required, unless it is optional. */
  fallback?: string;
  optional?: true;
  /** Stored encrypted, and never shown. */
  secret?: true;
  /** True if the text is a JSON object of texts. A program may also give it as an object. */
  texts?: true;
  /** True if a program may also give the setting as a number. */
  number?: "integer" | "number";
  parse(text: string): T | { problem: string };
}

/** Every setting, in the order of the documents. The declarations below fill it. */
export const allSettings: Setting<unknown>[] = [];

function declare<T>(
  name: string,
  part: SettingPart,
  parse: Setting<T>["parse"],
  more: Partial<Setting<T>> = {},
): Setting<T> {
  const variable = `DOCS_PLATFORM_${snakeCase(name).toUpperCase()}`;
  const declared = { name, variable, part, from: settingSources, parse, ...more };
  allSettings.push(declared);
  return declared;
}

const anyText = (text: string) => text;
const optional = { optional: true } as const;
/** A program to run, or a file to read as a secret. Anyone who may write the state must not be able to name one. */
const opening = { optional: true, from: settingSources.filter((source) => source !== "stateCopy") } as const;

/** Parses a command line into a program and its arguments. */
function commandOf(text: string): { command: readonly string[] } | { problem: string } {
  const parts = splitCommand(text);
  return "problem" in parts ? parts : { command: parts };
}

function checked(problemOf: (text: string) => string | undefined) {
  return (text: string) => {
    const problem = problemOf(text);
    return problem === undefined ? text : { problem };
  };
}

/** For a path: the engine may run the provider in another folder than the one in which the user wrote the path. */
function absolute<T>(read: (path: string) => T | { problem: string }) {
  return (path: string) =>
    isAbsolute(path)
      ? read(path)
      : { problem: "must be an absolute path: a relative one depends on the folder of the run" };
}

/**
 * The admin API key of the platform: any bearer token. Required, unless `apiKeyFile` or `apiKeyCommand` tells it. It is
 * removed from every message by its value.
 */
export const apiKey = declare<string>(
  "apiKey",
  "key",
  (text) => {
    // Every text that is used as a key passes here, so a refused key is hidden in messages, too.
    hideKey(text);
    return checked(bearerTokenProblem)(text);
  },
  { secret: true },
);

/**
 * A file that holds the admin API key and nothing else, such as a mounted secret. It is read at the first request, and again
 * when the platform does not accept the key any more (401). One of `apiKey`, `apiKeyFile` and `apiKeyCommand` is given.
 */
export const apiKeyFile = declare<{ file: string } | undefined>(
  "apiKeyFile",
  "key",
  absolute((file) => ({ file })),
  opening,
);

/**
 * A command that prints the admin API key and nothing else, within 30 seconds: a program and its arguments, in quotes where
 * they hold blanks. No shell reads it; where you need one, write `sh -c "…"`. It runs at the first request, and again when
 * the platform does not accept the key any more (401).
 */
export const apiKeyCommand = declare<{ command: readonly string[] } | undefined>(
  "apiKeyCommand",
  "key",
  commandOf,
  opening,
);

/** Where the platform is, without an API version: https, or http to a loopback address. Required. */
export const baseUrl = declare<URL>("baseUrl", "platform", parseBaseUrl);

export const projectIdPlace = "the API keys page of the dashboard shows the project id";

/** Identifier of the project, which the API keys page of the dashboard shows. Operations on agent jobs need it. */
export const projectId = declare<string | undefined>(
  "projectId",
  "platform",
  checked((text) => {
    const problem = identifierProblem(text);
    return problem && `${problem} (${projectIdPlace})`;
  }),
  optional,
);

/** The limit of one request, as a Go duration of at most `"10m"`. */
export const requestTimeout = declare<number>(
  "requestTimeout",
  "platform",
  (text) => {
    const duration = parseDuration(text);
    return duration !== undefined && duration >= 1 && duration <= 600_000
      ? duration
      : { problem: 'must be a duration such as "30s", of at most "10m"' };
  },
  { fallback: "30s" },
);

/**
 * How often one request is repeated after a fault that may pass by itself: from 0 to 20. A wait repeats its polls: it ends when
 * one more than this number fail in a row. While it is not set, a 429 that names the time of the next try (`Retry-After`) does not count: it
 * is waited out for as long as the run may wait.
 */
export const maxRetries = declare<number>(
  "maxRetries",
  "platform",
  (text) =>
    /^\d{1,2}$/.test(text) && Number(text) <= 20 ? Number(text) : { problem: "must be a whole number from 0 to 20" },
  { fallback: "4", number: "integer" },
);

/** The limit of requests a second, for all resources of the process together: above 0, at most 1000. Default: unlimited. */
export const maxRequestsPerSecond = declare<number | undefined>(
  "maxRequestsPerSecond",
  "platform",
  (text) => {
    const rate = Number(text);
    return rate > 0 && rate <= 1_000 ? rate : { problem: "must be a number above 0, and at most 1000" };
  },
  { optional: true, number: "number" },
);

/**
 * Other paths of operations, below the base URL: an object of templates, as JSON where a text is asked for. Its names are
 * `"startExport"`, `"getExport"`, `"generateBundle"`, `"sendMessage"` and `"getAgentJob"`; a template holds `{jobId}` (exports) or `{id}`
 * (agent jobs), and perhaps `{projectId}`. `GET ` or `POST ` before the path sets the method: with
 * `"generateBundle": "GET /v1/static-export/jobs/{jobId}"` the link is read from the completed job's record. Default: the paths of the API text, which does not show the last one:
 * `/v2/agent/{projectId}/job/{id}` is assumed.
 */
export const routes = declare<RouteTemplates | undefined>("routes", "platform", parseRouteTemplates, {
  optional: true,
  texts: true,
});

/**
 * A file that holds the private key that signs images, and nothing else: ECDSA on the curve P-256, PKCS#8 in PEM format, not
 * encrypted, and readable by its owner alone. Default: images are not signed. One of `signingKeyFile` and
 * `signingKeyCommand` is given.
 */
export const signingKeyFile = declare<{ file: string } | undefined>(
  "signingKeyFile",
  "signing",
  absolute((file) => {
    const problem = signingKeyFileProblem(file);
    return problem === undefined ? { file } : { problem };
  }),
  opening,
);

/**
 * A command that prints the key that signs images, within 30 seconds: a program and its arguments, as in `apiKeyCommand`. It
 * runs where an image is signed, and in a refresh of an image.
 */
export const signingKeyCommand = declare<{ command: readonly string[] } | undefined>(
  "signingKeyCommand",
  "signing",
  commandOf,
  opening,
);

/** A file of certificates (PEM) of authorities that are trusted beside those that Node.js knows. */
export const caFile = declare<string | undefined>(
  "caFile",
  "platform",
  absolute(checked(certificateFileProblem)),
  optional,
);

/** A file with the certificate (PEM) that this client shows to the platform, and the chain below it. It needs `clientKeyFile`. */
export const clientCertFile = declare<string | undefined>(
  "clientCertFile",
  "platform",
  absolute(checked(certificateFileProblem)),
  optional,
);

/** A file with the private key (PEM, not encrypted) of `clientCertFile`. */
export const clientKeyFile = declare<string | undefined>(
  "clientKeyFile",
  "platform",
  absolute(checked(keyFileProblem)),
  opening,
);

/**
 * More header fields for the requests to the platform, such as a gateway before it wants: a JSON object of texts. They are
 * sent to the base URL's origin only.
 */
export const headers = declare<HeaderFields | undefined>("headers", "platform", parseHeaderFields, {
  optional: true,
  secret: true,
});

const journalPlace = (place: string) => (/^[a-z][a-z0-9+.-]+:\/\//i.test(place) ? place : absolute(anyText)(place));

/**
 * Where starts are recorded until they are in the state: a folder, or `s3://bucket/prefix?region=…&endpoint=…` or
 * `azblob://account/container/prefix`, which machines can share. Default: `docs-platform/` in the Pulumi home.
 */
export const journal = declare<string | undefined>("journal", "journal", journalPlace, optional);

/** With `true`, a journal that cannot be written is an error before anything is sent; with `false` it is a warning. */
export const journalRequired = declare<boolean>(
  "journalRequired",
  "journal",
  (text) => (/^(true|false)$/.test(text) ? text === "true" : { problem: "must be true or false" }),
  { fallback: "false" },
);

/**
 * A name of this configuration for the journal: give one where several checkouts of it share a journal and a state, so that one
 * takes up what another has begun, or where several configurations with one journal run in a folder of the same path.
 * Each workspace is on its own. Default: the folder of the configuration.
 */
export const journalScope = declare<string | undefined>("journalScope", "journal", anyText, {
  optional: true,
  from: ["argument", "environment"],
});

/**
 * The addresses to which secrets of this machine may go, beside the base URL of the environment and a service's own host:
 * `https://host:port`, with blanks between them. Once it is set, they go nowhere else.
 */
export const secretsOnlyTo = declare<readonly string[] | undefined>(
  "secretsOnlyTo",
  "platform",
  (text) => text.split(/\s+/).flatMap((one) => (URL.canParse(one) ? [new URL(one).origin] : [])),
  { optional: true, from: ["environment"] },
);

export function settingsGivenBy(source: SettingSource): readonly Setting<unknown>[] {
  return allSettings.filter(({ from }) => from.includes(source));
}

/** How a user gives the project id. An agent operation without it shows this text. */
export function projectIdAdvice(): string {
  return `${howToGive(projectId)} (${projectIdPlace})`;
}

export function placesOf({ name, variable }: Setting<unknown>): string {
  return `${variable} (or ${words.place(name)})`;
}

export function howToGive(setting: Setting<unknown>): string {
  return `set ${setting.variable} in the environment, or ${words.give(setting.name, setting.secret ?? false)}`;
}
