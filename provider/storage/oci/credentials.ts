import { join } from "node:path";
import { DestinationError } from "../../support/errors";
import { readFile } from "../../support/fileSystem";
import { parseJsonObject } from "../../support/parseJsonObject";
import { pathInHome } from "../../support/pathInHome";
import { registerSecret } from "../../support/redact";
import { runExternalProgram } from "../../support/runExternalProgram";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import type { OciDestination } from "./destination";

export type RegistryCredentials =
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
  credentials: RegistryCredentials | undefined;
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
  const inline = variable(inlineName);
  const places = [...(inline === undefined ? [] : [inlineName]), ...configFiles()];
  for (const name of places) {
    const text = name === inlineName ? inline : await readConfig(name);
    const found = text && (await credentialsIn(name, text, registry, repository, signal));
    if (found) {
      registerSecret(found.kind === "password" ? found.password : found.token);
      return { credentials: found, where: `it uses the credentials in ${name}` };
    }
  }
  return {
    credentials: undefined,
    where: `it found no credentials for this registry in ${places.join(", ") || "the environment, and the home folder of this user is not known"}`,
  };
}

/** This variable may contain a configuration. It has precedence over the files. */
const inlineName = "DOCKER_AUTH_CONFIG";

function variable(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** Returns the files in order of precedence. */
function configFiles(): string[] {
  const docker = variable("DOCKER_CONFIG") ?? pathInHome(".docker");
  const session = variable("XDG_RUNTIME_DIR");
  const config = variable("XDG_CONFIG_HOME") ?? pathInHome(".config");
  // Podman uses this file if there is no user session, as in a container. Only root can create its folder.
  const withoutSession = process.getuid?.() === 0 ? "/run/containers/0/auth.json" : undefined;
  const files = [
    variable("REGISTRY_AUTH_FILE"),
    docker && join(docker, "config.json"),
    session === undefined ? withoutSession : join(session, "containers", "auth.json"),
    config && join(config, "containers", "auth.json"),
  ];
  return files.filter((file) => file !== undefined);
}

async function credentialsIn(
  name: string,
  text: string,
  registry: string,
  repository: string,
  signal: AbortSignal,
): Promise<RegistryCredentials | undefined> {
  const config: DockerConfig | undefined = parseJsonObject(text);
  if (config === undefined) {
    throw unusable(`the Docker configuration ${name} is not a JSON object`);
  }
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

function entryOf(entry: Entry | undefined): RegistryCredentials | undefined {
  if (entry?.identitytoken) {
    return { kind: "identity", token: entry.identitytoken };
  }
  const decoded = Buffer.from(entry?.auth ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const username = entry?.username ?? decoded.slice(0, Math.max(0, colon));
  const password = entry?.password ?? decoded.slice(colon + 1);
  return username === "" ? undefined : { kind: "password", username, password };
}

/** The helper reads the registry's name from its standard input, and answers in JSON. */
async function askHelper(name: string, server: string, signal: AbortSignal): Promise<RegistryCredentials | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) {
    throw unusable("the Docker configuration has an invalid name of a credential helper");
  }
  const options = { limit: timeLimits.command, maxOutput: longestAnswer, input: server, signal };
  const { stdout, problem } = await runExternalProgram([program, "get"], options);
  if (problem !== undefined) {
    // Only this text shows that a helper does not know the registry.
    if (/credentials not found/i.test(stdout)) {
      return undefined;
    }
    // The error does not contain the helper's output, which may be a credential.
    throw unusable(`the credential helper ${program} ${problem}`);
  }
  const { Username: username, Secret: secret } = parseJsonObject(stdout) ?? {};
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
