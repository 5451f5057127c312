import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";
import type { Destination } from "../../../provider/storage/destination";
import { startAzurite } from "../../../tools/servers/startAzurite";
import { startCraneRegistry } from "../../../tools/servers/startCraneRegistry";
import { startS3Server } from "../mirror/s3Server";
import { filesIn } from "../mirror/storage";

/** The place of a mirror, with the settings of the stack that uses it. */
export interface MirrorPlace {
  destination: string;
  layout: "archive" | "site";
  environment: Readonly<Record<string, string>>;
  /** The place of the journal. If it is undefined, the host uses its default folder. */
  journal?: string;
  /** Returns each name with the time of its last change. For a registry, returns each tag with its digest. */
  content(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

type Layout = MirrorPlace["layout"];

/** Makes a folder for a mirror, or for an image layout. */
async function folderPlace(scheme: "file" | "oci-layout", layout: Layout): Promise<MirrorPlace> {
  const parent = mkdtempSync(join(tmpdir(), "upgrade-"));
  const folder = join(parent, "mirrored");
  return {
    destination: pathToFileURL(folder).href.replace(/^file/, scheme),
    layout,
    environment: {},
    content: async () => timesIn(folder),
    close: async () => rmSync(parent, { recursive: true, force: true }),
  };
}

async function bucketPlace(layout: Layout): Promise<MirrorPlace> {
  const server = await startS3Server();
  return {
    destination: server.destination("docs", "site"),
    layout,
    environment: server.environment,
    journal: server.destination("journal", "prod"),
    content: async () => timesIn(server.folderOf("docs"), (name) => !name.startsWith(".sgwtmp")),
    close: () => server.close(),
  };
}

async function containerPlace(layout: Layout): Promise<MirrorPlace> {
  const { account, endpoint, environment, server } = await startAzurite();
  const service = BlobServiceClient.fromConnectionString(environment.AZURE_STORAGE_CONNECTION_STRING);
  const [docs, journal] = ["docs", "journal"].map((name) => service.getContainerClient(name));
  await docs?.create();
  await journal?.create();
  const address = (name: string) => `azblob://${account}/${name}/prod?endpoint=${encodeURIComponent(endpoint)}`;
  return {
    destination: address("docs"),
    layout,
    environment,
    journal: address("journal"),
    async content() {
      const times: Record<string, number> = {};
      for await (const { name, properties } of docs?.listBlobsFlat() ?? []) {
        times[name] = properties.lastModified.getTime();
      }
      return times;
    },
    close: () => server.close(),
  };
}

async function registryPlace(layout: Layout): Promise<MirrorPlace> {
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  const { host, close } = await startCraneRegistry(folder);
  return {
    destination: `oci://${host}/team/docs?plainHttp=true`,
    layout,
    environment: {},
    // Only tags count, because a registry keeps blobs without a tag until its garbage collection.
    async content() {
      const answer = await fetch(`http://${host}/v2/team/docs/tags/list`);
      const { tags } = answer.ok ? ((await answer.json()) as { tags: string[] | null }) : { tags: [] };
      const digests = (tags ?? []).map(async (tag) => {
        const { headers } = await fetch(`http://${host}/v2/team/docs/manifests/${tag}`, { method: "HEAD" });
        return [tag, headers.get("docker-content-digest")];
      });
      return Object.fromEntries(await Promise.all(digests));
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function timesIn(folder: string, counts = (_name: string) => true): Record<string, number> {
  mkdirSync(folder, { recursive: true });
  const names = filesIn(folder).filter(counts);
  return Object.fromEntries(names.map((name) => [name, statSync(join(folder, name)).mtimeMs]));
}

export const places: Record<Destination["kind"], (layout: Layout) => Promise<MirrorPlace>> = {
  file: (layout) => folderPlace("file", layout),
  "oci-layout": (layout) => folderPlace("oci-layout", layout),
  s3: bucketPlace,
  azblob: containerPlace,
  oci: registryPlace,
};
