import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setProcessCaFile } from "../../../../../provider/network/authorities";
import { createTokenRequest } from "../../../../../provider/storage/oci/authorization";
import { findRegistryCredentials } from "../../../../../provider/storage/oci/credentials";
import * as errors from "../../../../../provider/support/errors";
import { never, rejection } from "../../../../support/clientUnderTest";
import { throughProxy } from "../../../../support/forwardProxy";
import { configureDocker } from "../../../../support/mirror/configureDocker";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { gzipLike, storageReply } from "../../../../support/mirror/storage";
import {
  identityToken,
  startTokenAuthRegistry,
  type TokenAuthRegistry,
  user,
} from "../../../../support/mirror/tokenAuthRegistry";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../../support/throwingLifecycles";

const { bundleMirror } = throwingLifecycles;

const bytes = gzipSync(gzipLike(200_000));
const basic = Buffer.from(`${user.name}:${user.password}`).toString("base64");

let registry: TokenAuthRegistry;
let count = 0;
let host: string;
let repository: string;

beforeAll(async () => {
  registry = await startTokenAuthRegistry();
  setProcessCaFile(registry.caFile);
});

afterAll(async () => {
  setProcessCaFile(undefined);
  await registry?.close();
});

beforeEach(() => {
  host = `127.0.0.1:${registry.port}`;
  repository = `docs-${count++}`;
  registry.tokenRequests.length = 0;
});

afterEach(() => vi.unstubAllEnvs());

it.each([
  ["a password", { kind: "password", username: "user", password: "s3cr3t" } as const],
  ["an identity token", { kind: "identity", token: "s3cr3t" } as const],
])("%s goes to the host that the realm names, also if the realm's path looks like an address", (_, credentials) => {
  const realm = new URL("https://auth.example.com//10.0.0.1/token?account=docs");
  const { address } = createTokenRequest(realm, "registry", "repository:docs:pull", credentials);
  expect([address.host, address.pathname]).toEqual([realm.host, realm.pathname]);
});

/** Puts a credential helper on PATH. The helper gets the registry's name on standard input and runs this script. */
function installHelper(name: string, script: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, `docker-credential-${name}`), `#!/bin/sh\nread -r server\n${script}\n`);
  chmodSync(join(folder, `docker-credential-${name}`), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
}

function fileWith(name: string, configuration: object): string {
  const file = join(temporaryFolder(), name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}

async function world(place = host) {
  const made = await mirrorWorld([storageReply(bytes)]);
  return { ...made, inputs: { ...made.inputs, destination: `oci://${place}/${repository}` } };
}

const mine = { auth: basic };
const other = { auth: Buffer.from("other:wr0ng").toString("base64") };

const scope = (actions: string) => `repository:${repository}:${actions}`;
const answer = JSON.stringify({ Username: user.name, Secret: user.password });

describe("a registry that wants tokens", () => {
  it("gets one a kind of work, bought with the password of the Docker configuration", async () => {
    configureDocker({ auths: { [host]: { auth: basic } } });
    const surroundings = await world();
    const state = await mirrored(surroundings);
    // Some registries refuse a request for a missing object if the token does not allow pushing.
    expect(registry.tokenRequests).toEqual([`GET robot ${scope("pull,push")}`]);
    expect(await bundleMirror.read("id", state, surroundings.context)).toEqual(state);
    const warn = vi.fn();
    await destroyMirror(state, { warn: warn });
    expect(warn).not.toHaveBeenCalled();
    expect(registry.tokenRequests.at(-1)).toBe(`GET robot ${scope("pull,push,delete")}`);
    expect(await bundleMirror.read("id", state, surroundings.context)).toBeUndefined();
  });

  it.each([
    [
      "an entry with a scheme and a path, among those of others",
      () => ({
        auths: {
          "https://other.test/v1/": other,
          [`other.test/https://${host}`]: other,
          [`https://${host}/v1/`]: mine,
        },
      }),
    ],
    ["an entry with the scheme of plain HTTP", () => ({ auths: { "other.test": other, [`http://${host}`]: mine } })],
    ["an entry in clear", () => ({ auths: { [host]: { username: user.name, password: user.password } } })],
    ["a refresh token, before a password", () => ({ auths: { [host]: { ...other, identitytoken: identityToken } } })],
    [
      "the registry's own helper, before the store of all",
      () => {
        installHelper("mine", `[ "$server" = "${host}" ] && echo '${answer}'`);
        return { credHelpers: { [host]: "mine" }, credsStore: "missing" };
      },
    ],
    [
      "a store that gives a refresh token",
      () => {
        installHelper("all", `echo '${JSON.stringify({ Username: "<token>", Secret: identityToken })}'`);
        return { credsStore: "all" };
      },
    ],
    [
      "an entry of the file, where the store does not know the registry",
      () => {
        installHelper("empty", "echo credentials not found in native keychain; exit 1");
        return { credsStore: "empty", auths: { [host]: { auth: basic } } };
      },
    ],
  ])("accepts the credentials of %s", async (_, configuration) => {
    configureDocker(configuration());
    await mirrored(await world());
    expect(registry.tokenRequests.map((one) => one.split(" ")[1])).toEqual(["robot"]);
  });

  it.each<[string, (auths: object) => void]>([
    [
      "DOCKER_AUTH_CONFIG, as GitLab's runner has it",
      (auths) => vi.stubEnv("DOCKER_AUTH_CONFIG", JSON.stringify(auths)),
    ],
    ["REGISTRY_AUTH_FILE", (auths) => vi.stubEnv("REGISTRY_AUTH_FILE", fileWith("auth.json", auths))],
    [
      "Podman's file of the session",
      (auths) => vi.stubEnv("XDG_RUNTIME_DIR", dirname(dirname(fileWith("containers/auth.json", auths)))),
    ],
    [
      "Podman's file of the user",
      (auths) => vi.stubEnv("XDG_CONFIG_HOME", dirname(dirname(fileWith("containers/auth.json", auths)))),
    ],
  ])("accepts the credentials of %s", async (_, place) => {
    configureDocker({ auths: { "other.test": other } });
    place({ auths: { [host]: mine } });
    await mirrored(await world());
    expect(registry.tokenRequests.map((one) => one.split(" ")[1])).toEqual(["robot"]);
  });

  it("accepts the credentials of the key with the longest path that the repository has", async () => {
    repository = `team/docs/site-${count}`;
    const fitting = [`${host}`, `${host}/team`, `https://${host}/team/docs/`, `${host}/${repository}`];
    const others = [`${host}/team/doc`, `${host}/team/docs/site-${count}/x`, `${host}/tea`, "other.test/team/docs"];
    for (let used = 1; used <= fitting.length; used++) {
      const keys = fitting.slice(0, used).map((key, at): [string, object] => [key, at === used - 1 ? mine : other]);
      const auths = [...keys, ...others.map((key): [string, object] => [key, other])];
      for (const order of [auths, auths.toReversed()]) {
        configureDocker({ auths: Object.fromEntries(order) });
        expect((await findRegistryCredentials({ registry: host, repository }, never)).credentials).toMatchObject({
          username: user.name,
        });
      }
    }
  });

  it("is reported with the places where credentials were looked for, and whether some were found", async () => {
    const folder = configureDocker({ auths: { "other.test": other } });
    const without = await rejection(mirrored(await world()));
    expect(without.message).toContain(`HTTP 401, it found no credentials for this registry in ${folder}/config.json, `);
    expect(without.message).toContain("containers/auth.json");
    vi.stubEnv("XDG_RUNTIME_DIR", undefined);
    const inContainer = await rejection(mirrored(await world()));
    expect(inContainer.message.includes("/run/containers/0/auth.json")).toBe(process.getuid?.() === 0);
    configureDocker({ auths: { [host]: other } });
    const wrong = await rejection(mirrored(await world()));
    expect(wrong.message).toContain(`HTTP 401, it uses the credentials in ${process.env.DOCKER_CONFIG}/config.json`);
    expect(wrong.message).toContain("create the repository, if it does not exist yet");
  });

  const bad: [string, () => unknown, string][] = [
    ["no credentials", () => ({}), "UNAUTHORIZED, HTTP 401"],
    [
      "a wrong password",
      () => ({ auths: { [host]: { auth: Buffer.from("robot:wr0ng").toString("base64") } } }),
      "HTTP 401",
    ],
    [
      "a helper that is not there",
      () => ({ credsStore: "nowhere" }),
      "there is no program docker-credential-nowhere (ENOENT)",
    ],
    [
      "a helper that fails",
      () => {
        installHelper("sick", `echo "${user.password}"; echo "${user.password}" >&2; exit 3`);
        return { credsStore: "sick" };
      },
      "docker-credential-sick ended with the exit code 3",
    ],
    ["a helper whose name is a path", () => ({ credsStore: "../../bin/sh" }), "invalid name of a credential helper"],
    ["a file that is no JSON", () => `{"auths": "${user.password}`, "is not a JSON object"],
    [
      "a variable that is no JSON, which comes before every file",
      () => {
        vi.stubEnv("DOCKER_AUTH_CONFIG", `{"auths": "${user.password}`);
        return { auths: { [host]: mine } };
      },
      "DOCKER_AUTH_CONFIG is not a JSON object[^]*What to do: correct it, or remove it",
    ],
  ];

  it.each(bad)("is refused with %s in words, without a secret, and nothing stays", async (_, configuration, words) => {
    configureDocker(configuration());
    const surroundings = await world();
    const error = await rejection(bundleMirror.create(surroundings.inputs, surroundings.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toMatch(new RegExp(words.replace(/[().]/g, "\\$&")));
    expect(error.message).not.toMatch(/pa55|wr0ng/);
    expect(surroundings.platform.calls).toEqual([]);
  });
});

describe("a registry behind a proxy", () => {
  it("is reached by it, with the authority of the company's CA file", async () => {
    const named = await startTokenAuthRegistry({ authorityName: "authority.example.test" });
    const ports = { "registry.example.test:5000": named.port, "authority.example.test:443": named.tokenServerPort };
    const proxy = await throughProxy(ports);
    host = "registry.example.test:5000";
    configureDocker({ auths: { [host]: { auth: basic } } });
    const state = await mirrored(await world());
    expect(state.url).toBe(`registry.example.test:5000/${repository}@${state.digest}`);
    expect(proxy.connects[0]).toBe("CONNECT 200 registry.example.test:5000");
    await named.close();
  });
});

describe("a registry that deletes nothing", () => {
  it("is reported, the mirror is gone, and a next one may use the place", async () => {
    const strict = await startTokenAuthRegistry({ deletes: false });
    try {
      host = `127.0.0.1:${strict.port}`;
      setProcessCaFile(strict.caFile);
      configureDocker({ auths: { [host]: { auth: basic } } });
      const surroundings = await world();
      const state = await mirrored(surroundings);
      const warn = vi.fn();
      await destroyMirror(state, { warn: warn });
      expect(warn.mock.calls).toEqual([
        [`the registry does not allow the deletion of ${host}/${repository}:job-1: it stays there.`],
      ]);
      expect((await mirrored(surroundings)).digest).toBe(state.digest);
    } finally {
      setProcessCaFile(registry.caFile);
      await strict.close();
    }
  });
});
