import { configureDocker } from "../mirror/configureDocker";
import { objectStorages } from "../mirror/objectPlaces";
import { testRegistry } from "../mirror/ociRegistry";
import { bucketFamilies } from "./buckets";
import { containerFamilies } from "./containers";
import { registryFamilies } from "./registries";
import { registryTokens, registryUser } from "./registryTokens";
import type { StoreFamilies } from "./stores";

/** A place for a mirror on a real server, behind a front. The place also has content of other users. */
export interface StrangePlace {
  /** The address of the real server. */
  readonly target: string;
  /** Returns the destination of a mirror that sends its requests to this front. */
  destination(front: string): string;
  /** A text that every error about this place must contain. */
  readonly words: string;
  readonly secrets: readonly string[];
  /** Returns the content of each file. In a registry, it returns the manifest of each tag. */
  all(): Promise<Record<string, string>>;
  /** Writes a file or a tag as a user who is not the mirror's owner. */
  write(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Returns the name of a file or tag that a first run needs. Another user may have written it before. */
  taken(layout: "archive" | "site"): string;
  /** True if the place stores images, which a mirror can sign. */
  holdsImages?: true;
  /** Returns the name that a file of a site or of an archive has in this place. */
  name(file: string): string;
}

/** A test calls the function of a row within `describe`. For each life, the test then calls the returned function. */
export const strangeStores: readonly (readonly [string, StoreFamilies, () => (life: number) => StrangePlace])[] = [
  ["bucket", bucketFamilies, () => objectPlace("s3")],
  ["container", containerFamilies, () => objectPlace("azblob")],
  ["registry", registryFamilies, registryPlace],
];

function objectPlace(kind: keyof typeof objectStorages) {
  const place = objectStorages[kind].placeOfTest();
  return (life: number): StrangePlace => ({
    get target() {
      return place.endpoint;
    },
    destination: (front) => place.destination(`docs-${life}`, front),
    get words() {
      return /(bucket|container)-\d+/.exec(place.words)?.[0] ?? "";
    },
    get secrets() {
      return place.secrets.slice(-1);
    },
    async all() {
      const names = (await place.names()).filter((name) => name.split(/[/.]/)[0]?.endsWith(`-${life}`));
      const files = names.map(async (name) => [name, (await place.read(name)).toString("latin1")] as const);
      return Object.fromEntries(await Promise.all(files));
    },
    write: place.write,
    remove: place.remove,
    name: (file) => `docs-${life}/${file}`,
    taken: (layout) => `docs-${life}/${layout === "site" ? "guide/start.html" : "job-1.tar.gz"}`,
  });
}

function registryPlace() {
  const registry = testRegistry();
  return (life: number) => placeIn(registry.host, `team/docs-${life}`);
}

function placeIn(host: string, repository: string): StrangePlace {
  const ask = async (path: string, init?: RequestInit) => fetch(`http://${host}/v2/${repository}/${path}`, init);
  const type = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
  return {
    target: `http://${host}`,
    destination(front) {
      const { host } = new URL(front);
      configureDocker({ auths: { [host]: { auth: registryTokens.auth } } });
      return `oci://${host}/${repository}?plainHttp=true`;
    },
    words: repository,
    holdsImages: true,
    secrets: [registryUser.password, registryTokens.auth, registryTokens.access],
    async all() {
      const listed = await ask("tags/list");
      const { tags } = (listed.ok ? await listed.json() : {}) as { tags?: string[] };
      const found = (tags ?? []).map(async (tag) => [tag, await (await ask(`manifests/${tag}`)).text()] as const);
      return Object.fromEntries(await Promise.all(found));
    },
    async write(tag, annotation) {
      const body = JSON.stringify({ schemaVersion: 2, mediaType: type["content-type"], annotations: { annotation } });
      await ask(`manifests/${tag}`, { method: "PUT", headers: type, body });
    },
    async remove(tag) {
      await ask(`manifests/${tag}`, { method: "DELETE" });
    },
    name: (file) => file,
    taken: (layout) => (layout === "site" ? "latest" : "job-1"),
  };
}
