import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess, unusedPort } from "../../processes/serverProcess";
import { getTool } from "../../toolchain/getTool";
import type { Rehearsal } from "./rehearsal";
import { mustSucceed } from "./steps";

/** An npm registry on loopback. It forwards requests for missing packages to the user's registry. */
export interface NpmRegistry {
  /** The variables that make npm use this registry, with the rights of a reader. */
  readonly environment: NodeJS.ProcessEnv;
  /** The flag that gives npm the rights of the owner. */
  readonly owner: string;
  /** The folder of the published files. It has a folder for each package. */
  readonly storage: string;
}

export async function startNpmRegistry(rehearsal: Rehearsal): Promise<NpmRegistry> {
  const folder = rehearsal.folder("verdaccio");
  const port = await unusedPort();
  const url = `https://localhost:${port}/`;
  const upstream = (await mustSucceed(["npm", "config", "get", "registry"], { cwd: folder })).trim();
  const configuration = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream } },
    packages: {
      "pulumi-docs-platform*": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    https: { key: rehearsal.certificateKey, cert: rehearsal.certificate },
    log: { type: "stdout", format: "json", level: "error" },
  };
  // The text is JSON, which is also valid YAML.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(configuration));
  const flags = ["--config", join(folder, "config.yaml"), "--listen", url];
  const environment = {
    NPM_CONFIG_REGISTRY: url,
    // `npm run` sets this variable to the user's own registry, so it must be overwritten here.
    npm_config_registry: url,
    NPM_CONFIG_CAFILE: rehearsal.certificate,
    NPM_CONFIG_CACHE: rehearsal.folder("npm-cache"),
    NPM_CONFIG_USERCONFIG: join(folder, "npmrc"),
    NPM_CONFIG_AUDIT: "false",
    NPM_CONFIG_FUND: "false",
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
  };
  const curl = ["curl", "--silent", "--fail", "--cacert", rehearsal.certificate];
  const ready = async () => (await mustSucceed([...curl, `${url}-/ping`], { cwd: folder })) !== "";
  const server = await ServerProcess.start(process.execPath, [await getTool("verdaccio"), ...flags], ready);
  rehearsal.atEnd(() => server.close());
  const account = JSON.stringify({ name: "owner", password: "of this rehearsal" });
  const json = ["--request", "PUT", "--header", "content-type: application/json", "--data", account];
  const { token } = JSON.parse(
    await mustSucceed([...curl, ...json, `${url}-/user/org.couchdb.user:owner`], { cwd: folder }),
  );
  return { environment, owner: `--//localhost:${port}/:_authToken=${token}`, storage: configuration.storage };
}
