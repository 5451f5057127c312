import { isAbsolute } from "node:path";
import { identifierProblem } from "../support/identifier";
import { registerKeyAndParts } from "../support/redact";
import { parseDuration } from "../support/time/duration";
import { snakeCase, words } from "../support/words";
import { bearerTokenProblem, splitCommand } from "./apiKeyText";
import { parseHeaderFields } from "./headerFields";
import { parseBaseUrl } from "./parseBaseUrl";
import { certificateFileProblem, clientKeyFileProblem, signingKeyFileProblem } from "./pemFile";
import { parseRouteTemplates } from "./routeTemplates";

/**
 * The sources of a setting, in order of precedence. The default comes after them. The environment comes before the
 * stack's configuration, because `refresh` and `destroy` use the configuration of the last `up`. If that configuration
 * contains an old key, a new key in the environment must take precedence.
 */
export const settingSourcesByPrecedence = ["argument", "stateCopy", "environment", "config"] as const;
export type SettingSource = (typeof settingSourcesByPrecedence)[number];

/**
 * The part of the provider that uses a setting. If a setting is invalid, only the operations that need this part fail.
 */
export type SettingConsumer = "key" | "platform" | "signing" | "journal";

/** One setting. The environment and the stack's configuration give it as a text. */
export interface Setting<T> {
  name: string;
  variable: string;
  part: SettingConsumer;
  /** The sources that may give the setting. */
  from: readonly SettingSource[];
  /** The default, as a text. A setting without a default must be set, unless `optional` is true. */
  fallback?: string;
  optional?: true;
  /** True if the setting is stored encrypted and never shown. */
  secret?: true;
  /** True if the text is a JSON object of texts. A program may also give it as an object. */
  texts?: true;
  /** The type that the schemas show, if a program may also give the setting as a number. */
  number?: "integer" | "number";
  parse(text: string): T | { problem: string };
}

/** Every setting, in the order of the documents. The declarations below add the settings. */
export const allSettings: Setting<unknown>[] = [];

type Parse<T> = Setting<T>["parse"];
type More<T> = Partial<Setting<T>>;

function declare<T>(name: string, part: SettingConsumer, parse: Parse<T>, more: More<T> = {}): Setting<T> {
  const variable = `DOCS_PLATFORM_${snakeCase(name).toUpperCase()}`;
  const declared = { name, variable, part, from: settingSourcesByPrecedence, parse, ...more };
  allSettings.push(declared);
  return declared;
}

function optional<T>(name: string, part: SettingConsumer, parse: Parse<T>, more: More<T | undefined> = {}) {
  return declare<T | undefined>(name, part, parse, { optional: true, ...more });
}

const anyText = (text: string) => text;
/**
 * The options of a setting that names a program, or a file with a secret. The provider does not take such a setting from
 * the state. Otherwise everyone who can write the state could choose the program or the file.
 */
const opening = { from: settingSourcesByPrecedence.filter((source) => source !== "stateCopy") } as const;

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

const asFile = (file: string) => ({ file });

function signingKeyFileOf(file: string): { file: string } | { problem: string } {
  const problem = signingKeyFileProblem(file);
  return problem === undefined ? { file } : { problem };
}

/** Refuses a relative path, because the engine may run the provider in a folder other than the user's. */
function absolute<T>(read: (path: string) => T | { problem: string }) {
  return (path: string) =>
    isAbsolute(path)
      ? read(path)
      : { problem: "must be an absolute path: a relative one depends on the folder of the run" };
}

/**
 * The admin API key of the platform: any bearer token. Required, unless `apiKeyFile` or `apiKeyCommand` is set. No
 * message contains the key.
 */
export const apiKey = declare(
  "apiKey",
  "key",
  (text) => {
    // Every text that is used as a key is registered here, before it is checked. So messages never show a key, even if
    // it is refused.
    registerKeyAndParts(text);
    return checked(bearerTokenProblem)(text);
  },
  { secret: true },
);

/**
 * The absolute path of a file that contains only the admin API key, such as a mounted secret. The provider reads it at the
 * first request, and again if the platform refuses the key (401). Set only one of `apiKey`, `apiKeyFile` and `apiKeyCommand`.
 */
export const apiKeyFile = optional("apiKeyFile", "key", absolute(asFile), opening);

/**
 * A command that prints only the admin API key, within 30 seconds: a program and its arguments. Quote arguments that
 * contain blanks. No shell runs the command: if you need a shell, write `sh -c "…"`. The command runs at the first
 * request, and again if the platform refuses the key (401).
 */
export const apiKeyCommand = optional("apiKeyCommand", "key", commandOf, opening);

/** The address of the platform, without an API version: https, or http to a loopback address. Required. */
export const baseUrl = declare("baseUrl", "platform", parseBaseUrl);

export const projectIdHint = "the API keys page of the dashboard shows the project id";

/** Identifier of the project, from the API keys page of the dashboard. Operations on agent jobs need it. */
export const projectId = optional(
  "projectId",
  "platform",
  checked((text) => {
    const problem = identifierProblem(text);
    return problem && `${problem} (${projectIdHint})`;
  }),
);

/** The longest time for one request to the platform, as a Go duration of at most `"10m"`. */
export const requestTimeout = declare(
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
 * How often the provider repeats a request after a temporary fault: from 0 to 20. A wait fails when more than this
 * number of polls fail in a row. If the setting is not given, a 429 with a time (`Retry-After`) does not count: the
 * provider waits until that time, if the operation's time limit allows it.
 */
export const maxRetries = declare(
  "maxRetries",
  "platform",
  (text) =>
    /^\d{1,2}$/.test(text) && Number(text) <= 20 ? Number(text) : { problem: "must be a whole number from 0 to 20" },
  { fallback: "4", number: "integer" },
);

/**
 * The largest number of requests that one provider process sends in a second: above 0, at most 1000. Default:
 * unlimited.
 */
export const maxRequestsPerSecond = optional(
  "maxRequestsPerSecond",
  "platform",
  (text) => {
    const rate = Number(text);
    return rate > 0 && rate <= 1_000 ? rate : { problem: "must be a number above 0, and at most 1000" };
  },
  { number: "number" },
);

/**
 * Other paths of operations, below the base URL: a JSON object of templates. The names in the object are
 * `"startExport"`, `"getExport"`, `"generateBundle"`, `"sendMessage"` and `"getAgentJob"`. A template contains
 * `{jobId}` (exports) or `{id}` (agent jobs), and may contain `{projectId}`. `GET ` or `POST ` before the path sets the
 * method: with `"generateBundle": "GET /v1/static-export/jobs/{jobId}"` the provider reads the link from the completed
 * job's record. Default: the paths of the API text. The API text does not show the path of `getAgentJob`, so its
 * default is an assumption: `/v2/agent/{projectId}/job/{id}`.
 */
export const routes = optional("routes", "platform", parseRouteTemplates, { texts: true });

/**
 * The absolute path of a file with the private key that signs images: ECDSA on the curve P-256, PKCS#8 in PEM format, not
 * encrypted, and readable only by its owner. Set only one of `signingKeyFile` and `signingKeyCommand`. Default: images are not
 * signed.
 */
export const signingKeyFile = optional("signingKeyFile", "signing", absolute(signingKeyFileOf), opening);

/**
 * A command that prints the key that signs images, within 30 seconds. Write the command in the form of `apiKeyCommand`.
 * The command runs when the provider signs an image, and in a refresh of an image.
 */
export const signingKeyCommand = optional("signingKeyCommand", "signing", commandOf, opening);

/**
 * The absolute path of a file with certificates (PEM) of further authorities to trust, in addition to those of Node.js.
 */
export const caFile = optional("caFile", "platform", absolute(checked(certificateFileProblem)));

/** The absolute path of a file with the client certificate (PEM) for the platform, and its chain. It needs `clientKeyFile`. */
export const clientCertFile = optional("clientCertFile", "platform", absolute(checked(certificateFileProblem)));

/** The absolute path of a file with the private key (PEM, not encrypted) of `clientCertFile`. */
export const clientKeyFile = optional("clientKeyFile", "platform", absolute(checked(clientKeyFileProblem)), opening);

/**
 * A JSON object of texts with further header fields for requests to the platform, for example for a gateway. The
 * provider sends them only to the base URL's origin.
 */
export const headers = optional("headers", "platform", parseHeaderFields, { secret: true });

const journalPlace = (place: string) => (/^[a-z][a-z0-9+.-]+:\/\//i.test(place) ? place : absolute(anyText)(place));

/**
 * The place where the provider records the starts of jobs until the state contains them. It is a folder, or an object
 * storage, which several machines can share. The address of a storage has the form of a mirror's `destination`, such as
 * `s3://bucket/prefix?region=…&endpoint=…`. Default: `docs-platform/` in the Pulumi home.
 */
export const journal = optional("journal", "journal", journalPlace);

/** If true, a run whose journal cannot be written fails before it sends anything. If false, the run only warns. */
export const journalRequired = declare(
  "journalRequired",
  "journal",
  (text) => (/^(true|false)$/.test(text) ? text === "true" : { problem: "must be true or false" }),
  { fallback: "false" },
);

/**
 * The name of this configuration in the journal. Set it in two cases. First: several checkouts share a journal and a
 * state, and each must continue the jobs of the others. Second: several configurations share a journal, and their
 * folders have the same path. Entries of different workspaces are always separate. Default: the folder of the
 * configuration.
 */
export const journalScope = optional("journalScope", "journal", anyText, { from: ["argument", "environment"] });

/**
 * The only addresses to which secrets of this machine may go: `https://host:port`, separated by blanks. The base URL in
 * the environment is always allowed. For Azure, the `BlobEndpoint` of the connection string is always allowed. Without
 * a `BlobEndpoint`, the account's own host is always allowed.
 */
export const secretsOnlyTo = optional(
  "secretsOnlyTo",
  "platform",
  (text) => text.split(/\s+/).flatMap((one) => (URL.canParse(one) ? [new URL(one).origin] : [])),
  { from: ["environment"] },
);

export function settingsAcceptedFrom(source: SettingSource): readonly Setting<unknown>[] {
  return allSettings.filter(({ from }) => from.includes(source));
}

/** Returns how a user sets the project id. Errors of agent operations show it if the id is missing. */
export function projectIdAdvice(): string {
  return `${howToSet(projectId)} (${projectIdHint})`;
}

export function describeSettingPlaces({ name, variable }: Setting<unknown>): string {
  return `${variable} (or ${words.place(name)})`;
}

export function howToSet(setting: Setting<unknown>): string {
  return `set ${setting.variable} in the environment, or ${words.give(setting.name, setting.secret ?? false)}`;
}
