import { join } from "node:path";
import { DestinationError } from "../../support/errors";
import { readFile } from "../../support/fileSystem";
import { jsonObject } from "../../support/jsonObject";
import { pathInHome } from "../../support/pathInHome";
import { registerSecret } from "../../support/redact";
import { runProgram } from "../../support/runProgram";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import type { OciDestination } from "./destination";

export type Credentials =
  | { kind: "password"; username: string; password: string }
  /** A refresh token of OAuth 2, which the registry's token server exchanges for access tokens. */
  | { kind: "identity"; token: string };

interface Entry {
  auth?: string;
  username?: string;
  password?: string;
  identitytoken?: string;
}

interface DockerConfig {
  auths?: Record<string, Entry | undefined>;
  credHelpers?: Record<string, string | undefined>;
  credsStore?: string;
}

/** In bytes. */
const longestAnswer = 64 * 1024;

const dockerHub = "https://index.docker.io/v1/";

export interface FoundCredentials {
  credentials: Credentials | undefined;
  /** The place where credentials were found, or the places where none were found. */
  where: string;
}

/**
 * Looks in the places where Docker, Podman and GitLab's runner keep credentials. The first place with credentials for
 * the registry is used.
 * @throws DestinationError if a file, or a helper that a file names, cannot be used. The error contains no content of
 * the file.
 */
export async function findRegistryCredentials(
  { registry, repository }: Pick<OciDestination, "registry" | "repository">,
  signal: AbortSignal,
): Promise<FoundCredentials> {
  const looked: string[] = [];
  for (const { name, text } of places()) {
    const content = await text();
    looked.push(name);
    const found = content && (await credentialsIn(parseConfig(name, content), registry, repository, signal));
    if (found) {
      registerSecret(found.kind === "password" ? found.password : found.token);
      return { credentials: found, where: `it uses the credentials in ${name}` };
    }
  }
  return {
    credentials: undefined,
    where: `it found no credentials for this registry in ${looked.join(", ") || "the environment, and the home folder of this user is not known"}`,
  };
}

/** Returns the places in order of precedence. */
function places(): { name: string; text(): string | undefined | Promise<string | undefined> }[] {
  const variable = (name: string) => process.env[name]?.trim() || undefined;
  const [inline, podman, runtime] = ["DOCKER_AUTH_CONFIG", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"].map(variable);
  const within = (folder: string | undefined, ...names: string[]) =>
    folder === undefined ? [] : [join(folder, ...names)];
  const files = [
    ...(podman === undefined ? [] : [podman]),
    ...within(variable("DOCKER_CONFIG") ?? pathInHome(".docker"), "config.json"),
    ...(runtime === undefined ? filesWithoutSession() : [join(runtime, "containers", "auth.json")]),
    ...within(variable("XDG_CONFIG_HOME") ?? pathInHome(".config"), "containers", "auth.json"),
  ];
  return [
    ...(inline === undefined ? [] : [{ name: "DOCKER_AUTH_CONFIG", text: () => inline }]),
    ...files.map((file) => ({ name: file, text: () => readConfig(file) })),
  ];
}

/**
 * Returns the file in which Podman stores credentials without a user session, as in a container. Only root can create
 * the file's folder.
 */
function filesWithoutSession(): string[] {
  return process.getuid?.() === 0 ? ["/run/containers/0/auth.json"] : [];
}

async function credentialsIn(
  config: DockerConfig,
  registry: string,
  repository: string,
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  const server = registry === "docker.io" ? dockerHub : registry;
  const helper = config.credHelpers?.[server] ?? config.credsStore;
  const kept = helper ? await askHelper(helper, server, signal) : undefined;
  return kept ?? entryOf(config.auths?.[keyOf(config, server, repository)]);
}

async function readConfig(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      return undefined;
    }
    throw unusable(`the Docker configuration ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parseConfig(name: string, text: string): DockerConfig {
  const config = jsonObject(text);
  if (config === undefined) {
    throw unusable(`the Docker configuration ${name} is not a JSON object`);
  }
  return config;
}

/**
 * Returns the configuration's key for a repository: the key with the longest matching path. A scheme, or an API version
 * after the host, is ignored.
 */
function keyOf({ auths = {} }: DockerConfig, server: string, repository: string): string {
  const split = (key: string) => /^(?:https?:\/\/)?([^/]*)\/?(.*?)\/?$/.exec(key)?.slice(1) ?? [];
  const hostOf = (key: string) => (split(key)[0] ?? "").replace(/^index\.(?=docker\.io$)/, "");
  const pathOf = (key: string) => (split(key)[1] ?? "").replace(/^v[12]$/, "");
  const fitting = Object.keys(auths).filter(
    (key) => hostOf(key) === hostOf(server) && `${repository}/`.startsWith(pathOf(key) && `${pathOf(key)}/`),
  );
  // Among keys with equally long paths, a key that is equal to `server` has precedence.
  fitting.sort((a, b) => pathOf(b).length - pathOf(a).length || Number(b === server) - Number(a === server));
  return fitting[0] ?? server;
}

function entryOf(entry: Entry | undefined): Credentials | undefined {
  if (entry?.identitytoken) {
    return { kind: "identity", token: entry.identitytoken };
  }
  const decoded = Buffer.from(entry?.auth ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const username = entry?.username ?? decoded.slice(0, Math.max(0, colon));
  const password = entry?.password ?? decoded.slice(colon + 1);
  return username === "" ? undefined : { kind: "password", username, password };
}

/** The helper reads the registry from its standard input, and answers in JSON. */
async function askHelper(name: string, server: string, signal: AbortSignal): Promise<Credentials | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) {
    throw unusable("the Docker configuration has an invalid name of a credential helper");
  }
  const options = { limit: timeLimits.command, maxOutput: longestAnswer, input: server, signal };
  const { stdout, problem } = await runProgram([program, "get"], options);
  if (problem !== undefined) {
    // Only this text shows that a helper does not know the registry.
    if (/credentials not found/i.test(stdout)) {
      return undefined;
    }
    // The helper's output may be a credential.
    throw unusable(`the credential helper ${program} ${problem}`);
  }
  const { Username: username, Secret: secret } = jsonObject(stdout) ?? {};
  if (typeof username !== "string" || typeof secret !== "string") {
    throw unusable(`the credential helper ${program} gave an answer without user name and secret`);
  }
  if (username === "<token>") {
    return { kind: "identity", token: secret };
  }
  return username === "" ? undefined : { kind: "password", username, password: secret };
}

function unusable(happened: string): DestinationError {
  return new DestinationError({
    happened,
    remedy: `correct it, or remove it; then run \`${words.run}\` again.`,
  });
}
