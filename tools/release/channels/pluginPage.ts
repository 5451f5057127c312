import { copyFileSync, existsSync, readFileSync } from "node:fs";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { pluginRelease, version } from "../plugins/release";
import { ownTarget } from "../plugins/target";
import type { Rehearsal } from "./rehearsal";

/** A server that serves the plugin's archive as a release's page does. */
export interface PluginPage {
  readonly url: string;
  /** The path of the served file. A caller may change the file. */
  readonly archive: string;
  /** The variables that make the engine download the plugin from this server when a program needs it. */
  readonly environment: NodeJS.ProcessEnv;
}

/** @param name the name of the folder for the server's files. */
export async function servePluginPage(rehearsal: Rehearsal, name: string): Promise<PluginPage> {
  const folder = rehearsal.folder(name);
  const archive = join(folder, pluginRelease.archive(version, ownTarget()));
  copyFileSync(join(await rehearsal.release, basename(archive)), archive);
  const [key, cert] = [rehearsal.certificateKey, rehearsal.certificate].map((file) => readFileSync(file));
  // Over HTTP/1.1, the engine reports a wrong checksum for every file. So the server uses HTTP/2, like the real page.
  const server = http2.createSecureServer({ key, cert }, ({ url }, response) => {
    const file = join(folder, basename(url));
    const content = existsSync(file) ? readFileSync(file) : "";
    // The length is sent, because the engine refuses an archive of unknown length.
    response.writeHead(content === "" ? 404 : 200, { "content-length": content.length });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  rehearsal.atEnd(() => server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const { pluginDownloadURL } = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
  const environment = {
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined,
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=${url}`,
    SSL_CERT_FILE: rehearsal.certificate,
  };
  return { url, archive, environment };
}
