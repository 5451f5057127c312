import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Destination, destinationSchemes, type ObjectDestination } from "../../../provider/storage/destination";
import { temporaryFolder } from "../temporaryFolder";
import { eachObjectPlace, type ObjectPlace } from "./objectPlaces";
import { scriptedRegistry } from "./scriptedRegistry";
import { contentIn, filesIn, sha256Of } from "./storage";

/** A place for mirrors. A test reads and changes it as any user with write access can. */
export interface SharedPlace {
  destination: string;
  /** Returns the content of each file. In a registry or an image layout, returns the manifest of each tag. */
  all(): Promise<Record<string, string>>;
  write(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
  removeWhole?(): Promise<void>;
  /** Returns the name of each file in an image layout's folder. Others than tagged manifests count, too. */
  files?(): string[];
  /** The address of the place with a slash at the end. A file's name follows it. */
  address?: string;
  /** Only for object storages. */
  headers?: ObjectPlace["headers"];
}

type Kind = Destination["kind"];

type NewPlace = () => Promise<SharedPlace>;

const ofObjects = eachObjectPlace.map(([kind, place]) => [kind, () => prefixesOf(place())] as const);

/** Call each of these functions within `describe`. The result is a function that makes a new place for a test. */
export const mirrorPlaces: Record<Kind, () => NewPlace> = {
  ...(Object.fromEntries(ofObjects) as Record<ObjectDestination["kind"], () => NewPlace>),
  file: () => newFolder,
  oci: () => newRepository,
  "oci-layout": () => newLayout,
};

/** Each store with the content that it stores (`files` or `images`), for `describe.each`. */
export const eachMirrorPlace = (Object.keys(mirrorPlaces) as Kind[]).map(
  (kind) => [kind, destinationSchemes[kind].holds === "images" ? "images" : "files", mirrorPlaces[kind]] as const,
);

/** Writes latin1 text, because `all` reads files as latin1. */
function writeIn(folder: string, name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content, "latin1");
}

async function newFolder(): Promise<SharedPlace> {
  const folder = temporaryFolder();
  return {
    destination: pathToFileURL(folder).href,
    address: `${pathToFileURL(folder).href}/`,
    all: async () => contentIn(folder),
    write: async (name, content) => writeIn(folder, name, content),
    remove: async (name) => rmSync(join(folder, name)),
    removeWhole: async () => rmSync(folder, { recursive: true }),
  };
}

function prefixesOf(place: ObjectPlace): () => Promise<SharedPlace> {
  let count = 0;
  return async () => {
    const prefix = `docs-${count++}`;
    return {
      destination: place.destination(prefix),
      address: `${place.root}${prefix}/`,
      headers: (name) => place.headers(`${prefix}/${name}`),
      async all() {
        const names = (await place.names()).filter((name) => name.startsWith(`${prefix}/`));
        const files = names.map(async (name) => [name.slice(prefix.length + 1), await place.read(name)] as const);
        return Object.fromEntries((await Promise.all(files)).map(([name, bytes]) => [name, bytes.toString("latin1")]));
      },
      write: (name, content) => place.write(`${prefix}/${name}`, Buffer.from(content, "latin1")),
      remove: (name) => place.remove(`${prefix}/${name}`),
      removeWhole: () => place.removeWhole(),
    };
  };
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** Makes a manifest with this text, unless the text is a manifest already. */
const asManifest = (content: string) =>
  content.startsWith("{") ? content : JSON.stringify({ schemaVersion: 2, mediaType: manifestType, content });

async function newRepository(): Promise<SharedPlace> {
  const { host, tags } = await scriptedRegistry({});
  const send = async (method: string, tag: string, body?: string) => {
    await fetch(`http://${host}/v2/team/docs/manifests/${tag}`, { method, ...(body !== undefined && { body }) });
  };
  return {
    destination: `oci://${host}/team/docs?plainHttp=true`,
    all: async () => Object.fromEntries([...tags].map(([tag, manifest]) => [tag, manifest.toString()])),
    write: (tag, content) => send("PUT", tag, asManifest(content)),
    remove: (tag) => send("DELETE", tag),
  };
}

const tagAnnotation = "org.opencontainers.image.ref.name";

async function newLayout(): Promise<SharedPlace> {
  const folder = temporaryFolder();
  const blobOf = (digest: string) => `blobs/sha256/${digest.replace("sha256:", "")}`;
  const index = () =>
    existsSync(join(folder, "index.json"))
      ? JSON.parse(readFileSync(join(folder, "index.json"), "utf8"))
      : { schemaVersion: 2, manifests: [] };
  type Entry = { digest: string; annotations?: Record<string, string> };
  const tagOf = (entry: Entry) => entry.annotations?.[tagAnnotation];
  const change = (tag: string, entries: object[]) => {
    const { manifests, ...fields } = index();
    const others = manifests.filter((entry: Entry) => tagOf(entry) !== tag);
    writeIn(folder, "oci-layout", '{"imageLayoutVersion":"1.0.0"}');
    writeIn(folder, "index.json", JSON.stringify({ ...fields, manifests: [...others, ...entries] }));
  };
  return {
    destination: pathToFileURL(folder).href.replace("file:", "oci-layout:"),
    files: () => filesIn(folder),
    async all() {
      const tagged = index().manifests.filter((entry: Entry) => tagOf(entry) !== undefined);
      const contentOf = ({ digest }: Entry) => readFileSync(join(folder, blobOf(digest)), "utf8");
      return Object.fromEntries(tagged.map((entry: Entry) => [tagOf(entry), contentOf(entry)]));
    },
    async write(tag, content) {
      const text = asManifest(content);
      const digest = `sha256:${sha256Of(text)}`;
      writeIn(folder, blobOf(digest), text);
      const entry = { mediaType: manifestType, digest, size: text.length, annotations: { [tagAnnotation]: tag } };
      change(tag, [entry]);
    },
    remove: async (tag) => change(tag, []),
    removeWhole: async () => rmSync(folder, { recursive: true }),
  };
}
