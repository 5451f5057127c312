import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { projectRoot } from "../../../tools/projectRoot";
import type { ObjectPlace } from "../../support/mirror/objectPlaces";
import type { Form, Link } from "./drawnSite";
import type { Origin } from "./visit";

/** A REST endpoint of a storage. Returns the object with this key, or an error. */
export type GetObject = (key: string) => Promise<Response>;

/** Reads each object below a prefix only once, with its content type. */
export function objectsOf(place: ObjectPlace, prefix: string): GetObject {
  const answers = new Map<string, Promise<Response>>();
  const ask = async (key: string) => {
    try {
      const { contentType } = await place.headers(prefix + key);
      const content = await place.read(prefix + key);
      return new Response(new Uint8Array(content), { headers: { "content-type": String(contentType) } });
    } catch {
      return new Response("<Error>", { status: 404 });
    }
  };
  return async (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return (await answer).clone();
  };
}

export interface BucketKind {
  /** The heading of a column in the table of docs/guides/publish.md. */
  name: string;
  storage: "s3" | "azblob";
  origin(get: GetObject, errorPage: string): Origin;
  /** True if docs/guides/publish.md promises that this server answers the link. */
  promises(link: Link): boolean;
}

const hasDot = (path: string) => (path.split("/").at(-1) ?? "").includes(".");
const oneOf =
  (...forms: Form[]) =>
  ({ form }: Link) =>
    forms.includes(form);

export const bucketKinds: BucketKind[] = [
  {
    name: "CDN, REST endpoint",
    storage: "s3",
    origin: (get, errorPage) => behindCdn(get, errorPage, ({ request }) => request),
    promises: oneOf("file"),
  },
  {
    name: "CDN with the function",
    storage: "s3",
    origin: (get, errorPage) => behindCdn(get, errorPage, cleanAddresses()),
    promises: ({ form, target }) =>
      form === "folder" || (form === "file" && hasDot(target)) || (form === "clean" && !hasDot(target.slice(0, -5))),
  },
  {
    name: "website endpoint of S3",
    storage: "s3",
    origin: behindWebsite,
    promises: oneOf("file", "folder", "bareFolder"),
  },
  {
    name: "`$web` of Azure",
    storage: "azblob",
    origin: behindWebContainer,
    promises: oneOf("file", "folder"),
  },
];

/** A function that a CDN runs for each request. It may change the request's path. */
type RequestFunction = (event: { request: { uri: string } }) => { uri: string };

function cleanAddresses(): RequestFunction {
  const text = readFileSync(join(projectRoot, "examples", "bucket", "cleanAddresses.js"), "utf8");
  return runInNewContext(`${text}; handler`);
}

/** Simulates CloudFront with the default root object `index.html`, and an error page for refused objects. */
function behindCdn(get: GetObject, errorPage: string, change: RequestFunction): Origin {
  return async (path) => {
    const { uri } = change({ request: { uri: withoutQuery(path) } });
    const answer = await get(decodeURIComponent((uri === "/" ? "/index.html" : uri).slice(1)));
    return answer.ok ? answer : errorAnswer(get, errorPage);
  };
}

/** Simulates a bucket's website endpoint with the index document `index.html` and an error document. */
function behindWebsite(get: GetObject, errorPage: string): Origin {
  return async (path) => {
    const key = keyOf(path);
    const answer = await get(isFolder(key) ? `${key}index.html` : key);
    if (answer.ok) {
      return answer;
    }
    if (!isFolder(key) && (await get(`${key}/index.html`)).ok) {
      return new Response(null, { status: 302, headers: { location: `${withoutQuery(path)}/` } });
    }
    return errorAnswer(get, errorPage);
  };
}

/** Simulates a container's website, which never redirects. */
function behindWebContainer(get: GetObject, errorPage: string): Origin {
  return async (path) => {
    const key = keyOf(path);
    const answer = await get(isFolder(key) ? `${key}index.html` : key);
    const index = answer.ok || isFolder(key) ? answer : await get(`${key}/index.html`);
    return index.ok ? index : errorAnswer(get, errorPage);
  };
}

async function errorAnswer(get: GetObject, errorPage: string): Promise<Response> {
  const page = await get(errorPage);
  return new Response(page.ok ? await page.text() : "", { status: 404, headers: page.headers });
}

const withoutQuery = (path: string) => path.replace(/\?.*/s, "");
const keyOf = (path: string) => decodeURIComponent(withoutQuery(path).slice(1));
const isFolder = (key: string) => key === "" || key.endsWith("/");
