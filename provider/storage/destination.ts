import { fileURLToPath } from "node:url";
import { isLoopback } from "../support/hostNames";

/** Where a mirror puts its files. */
export type Destination = FileDestination | S3Destination | OciDestination;

export interface FileDestination {
  kind: "file";
  /** An absolute path on this machine. */
  folder: string;
}

export interface S3Destination {
  kind: "s3";
  bucket: string;
  /** The prefix of every key: empty, or ending with a slash. */
  prefix: string;
  /** Undefined if the AWS SDK finds it by itself. */
  region: string | undefined;
  /** The address of an S3 server other than AWS. */
  endpoint: string | undefined;
}

export interface OciDestination {
  kind: "oci";
  /** The registry's host, with the port where one is given, in lower case. */
  registry: string;
  repository: string;
  /** Whether it is reached by plain http: a registry on this machine only. */
  plainHttp: boolean;
}

const validForms =
  "file:///absolute/folder, s3://bucket/prefix?region=…&endpoint=… or oci://registry.example.com/repository";

/** The parameters that an S3 destination may have. */
const parameters = ["region", "endpoint"] as const;

/**
 * Parses a destination. The description of a problem contains no part of the text that could be a secret.
 * @param windows whether folders are those of Windows, which begin with a drive.
 * @returns the destination, or the problem.
 */
export function parseDestination(
  text: string,
  windows = process.platform === "win32",
): Destination | { problem: string } {
  // A single letter before a colon is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return { problem: `is a path without a scheme: give ${validForms}` };
  }
  if (scheme !== "file" && scheme !== "s3" && scheme !== "oci") {
    return { problem: `has the scheme ${scheme}, which is not known: give ${validForms}` };
  }
  if (!/^(file:\/\/\/|(s3|oci):\/\/[^/])/i.test(text) || !URL.canParse(text)) {
    return { problem: `is no absolute address: give ${validForms}` };
  }
  const url = new URL(text);
  if (url.username || url.password || /^(s3|oci):\/\/[^/?#]*@/i.test(text)) {
    const place = scheme === "oci" ? "those of `docker login` are used" : "the AWS SDK finds them by itself";
    return { problem: `must hold no credentials: ${place}` };
  }
  if (text.includes("#")) {
    return { problem: "must hold no fragment; write # as %23" };
  }
  const steps = stepsOf(text);
  if (typeof steps === "string") {
    return { problem: steps };
  }
  if (scheme === "file") {
    return fileDestination(url, windows);
  }
  return scheme === "s3" ? s3Destination(url, steps) : ociDestination(url, steps);
}

/** The segments of the path as written: parsing as a URL would already have removed `..`. */
function stepsOf(text: string): string[] | string {
  const path = text.replace(/^[a-z0-9+.-]+:\/\/[^/?]*/i, "").replace(/\?.*$/s, "");
  const steps: string[] = [];
  for (const written of path.replace(/^\//, "").replace(/\/$/, "").split("/")) {
    let step: string;
    try {
      step = decodeURIComponent(written);
    } catch {
      return "has a % that begins no escape; write it as %25";
    }
    if (step === "." || step === "..") {
      return 'must not hold "." or ".." in its path';
    }
    if (/[/\\\p{Cc}\p{Surrogate}]/u.test(step)) {
      return "has a slash, a backslash or a control character in a name of its path";
    }
    steps.push(step);
  }
  if (steps.length > 1 && steps.includes("")) {
    return "has an empty name in its path";
  }
  return steps.filter((step) => step !== "");
}

function fileDestination(url: URL, windows: boolean): Destination | { problem: string } {
  if (url.search) {
    return { problem: "must hold no query: a folder has no parameters" };
  }
  if (windows) {
    return windowsFolder(url);
  }
  return url.pathname === "/"
    ? { problem: "names no folder: give one below /" }
    : { kind: "file", folder: fileURLToPath(url).replace(/(?<=[^/\\:])[/\\]$/, "") };
}

function windowsFolder(url: URL): Destination | { problem: string } {
  const [, drive, path] = /^\/([a-z]:)(?:\/(.*))?$/i.exec(url.pathname) ?? [];
  if (drive === undefined) {
    return { problem: "names no drive: give file:///C:/folder" };
  }
  return path
    ? { kind: "file", folder: fileURLToPath(url, { windows: true }).replace(/\\$/, "") }
    : { problem: `names no folder: give one below ${drive}` };
}

function s3Destination(url: URL, steps: readonly string[]): Destination | { problem: string } {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
    return { problem: "names no bucket: 3 to 63 lower-case letters, digits, dots and hyphens" };
  }
  const problem = queryProblem(url.searchParams);
  if (problem !== undefined) {
    return { problem };
  }
  return {
    kind: "s3",
    bucket: url.host,
    prefix: steps.map((step) => `${step}/`).join(""),
    region: url.searchParams.get("region") ?? undefined,
    endpoint: url.searchParams.get("endpoint")?.replace(/\/+$/, ""),
  };
}

/** The names that the distribution specification allows; a tag or a digest follows them in a reference. */
const repositoryName = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;

function ociDestination(url: URL, steps: readonly string[]): Destination | { problem: string } {
  const registry = url.host.toLowerCase();
  if (!/^([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(registry)) {
    return { problem: "names no registry: give its host, with a port where it needs one" };
  }
  if (steps.some((step) => /[:@]/.test(step))) {
    return { problem: "has a tag or a digest: give the repository alone, the mirror chooses the tag" };
  }
  const repository = steps.join("/");
  if (steps.length === 0 || repository.length > 255 || !steps.every((step) => repositoryName.test(step))) {
    return {
      problem: "names no repository: lower-case letters and digits, with single . _ - and slashes between them",
    };
  }
  const query = [...url.searchParams];
  if (query.length > 1 || query.some(([name, value]) => name !== "plainHttp" || !/^(true|false)$/.test(value))) {
    return { problem: "takes the parameter plainHttp=true and no others, and no credentials" };
  }
  const plainHttp = url.searchParams.get("plainHttp") === "true";
  return plainHttp && !isLoopback(registry.replace(/:\d+$/, ""))
    ? { problem: "has plainHttp, which is for a registry at a loopback address only: a registry serves https" }
    : { kind: "oci", registry, repository, plainHttp };
}

function queryProblem(query: URLSearchParams): string | undefined {
  const names = [...query.keys()];
  // Other parameters may contain a secret, which must not be shown.
  if (names.some((name) => !(parameters as readonly string[]).includes(name))) {
    return `takes the parameters ${parameters.join(" and ")} and no others, and no credentials: the AWS SDK finds them by itself`;
  }
  if (new Set(names).size < names.length) {
    return "gives a parameter twice";
  }
  const region = query.get("region");
  if (region !== null && !/^[a-z0-9-]+$/.test(region)) {
    return "has a region that is none: letters, digits and hyphens, such as eu-central-1";
  }
  const endpoint = query.get("endpoint");
  return endpoint === null ? undefined : endpointProblem(endpoint);
}

function endpointProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return "has an endpoint that is no URL such as https://s3.example.com";
  }
  const { username, password, search, hash, protocol, hostname } = new URL(text);
  if (username || password || search || hash) {
    return "has an endpoint with credentials, a query or a fragment: give its address alone";
  }
  return protocol === "https:" || isLoopback(hostname)
    ? undefined
    : "has an endpoint at plain http, which is for a loopback address only: give an https one";
}

export function isSamePlace(one: string, other: string): boolean {
  return JSON.stringify(parseDestination(one)) === JSON.stringify(parseDestination(other));
}
