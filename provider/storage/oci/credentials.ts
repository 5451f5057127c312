import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { DestinationError } from "../../support/errors";
import { jsonObject } from "../../support/jsonObject";
import { addSecret } from "../../support/redact";
import { runProgram } from "../../support/runProgram";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";

export type Credentials =
  | { kind: "password"; username: string; password: string }
  /** A refresh token of OAuth 2. The registry's token server exchanges it for access tokens. */
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

/** The limit of what a helper prints, in bytes. */
const longestAnswer = 64 * 1024;

const dockerHub = "https://index.docker.io/v1/";

/**
 * The credentials of a registry in the Docker configuration (`$DOCKER_CONFIG/config.json`, else that of the home folder), as
 * every tool for images reads them; undefined if it has none for this registry.
 * @param signal ends a helper that it runs.
 * @throws DestinationError if the file, or a helper that it names, cannot be used. The error shows no content of them.
 */
export async function findCredentials(registry: string, signal: AbortSignal): Promise<Credentials | undefined> {
  const file = join(process.env.DOCKER_CONFIG?.trim() || join(homedir(), ".docker"), "config.json");
  const config = await readConfig(file);
  const server = registry === "docker.io" ? dockerHub : registry;
  const helper = config.credHelpers?.[server] ?? config.credsStore;
  const kept = helper ? await askHelper(helper, server, signal) : undefined;
  const found = kept ?? entryOf(config.auths?.[keyOf(config, server)]);
  addSecret(found?.kind === "password" ? found.password : (found?.token ?? ""));
  return found;
}

async function readConfig(file: string): Promise<DockerConfig> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return {};
    }
    throw unusable(`the Docker configuration ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const config = jsonObject(text);
  if (config === undefined) {
    throw unusable(`the Docker configuration ${file} is not a JSON object`);
  }
  return config;
}

/** Returns the key of a registry in the configuration. Some tools write the key with a scheme, and some add a path. */
function keyOf({ auths = {} }: DockerConfig, server: string): string {
  const hostOf = (key: string) => key.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return server in auths ? server : (Object.keys(auths).find((key) => hostOf(key) === hostOf(server)) ?? server);
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

/** Runs `docker-credential-<name> get`. The helper reads the registry from its standard input, and answers in JSON. */
async function askHelper(name: string, server: string, signal: AbortSignal): Promise<Credentials | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) {
    throw unusable("the Docker configuration has an invalid name of a credential helper");
  }
  const options = { limit: timeLimits.command, maxOutput: longestAnswer, input: server, signal };
  const { stdout, problem } = await runProgram([program, "get"], options);
  if (problem !== undefined) {
    // A helper says this of a registry that it does not know. Its protocol has no other sign for it.
    if (/credentials not found/i.test(stdout)) {
      return undefined;
    }
    // The error shows nothing that the helper says: it may be a credential.
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
    remedy: `correct it, or set another folder in DOCKER_CONFIG; then run \`${words.run}\` again.`,
  });
}
