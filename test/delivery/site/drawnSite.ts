import { posix } from "node:path";
import { contentType } from "mime-types";
import type { Random } from "../../support/random";

/**
 * The form in which a link names its target. `file`: the path of a file. `clean`: the path of a page without `.html`.
 * `slash`: the path of a page without `.html` and with a slash at the end. `folder`: for an `index.html`, the path of
 * its folder, with a slash at the end. `bareFolder`: the same path without the slash.
 */
export type Form = "file" | "clean" | "slash" | "folder" | "bareFolder";

export interface Link {
  target: string;
  form: Form;
  href: string;
}

export interface DrawnSite {
  /** Empty, or begins with a slash. */
  basePath: string;
  /** The content of each file in the archive. */
  archive: Map<string, string>;
  /** The content of each file, by its path below the base path. */
  files: Map<string, string>;
  links: Map<string, Link[]>;
  /** Empty if the mirror decides. */
  outerFolder: "" | "remove" | "keep";
  /** True if a file or folder of the site has the name of the base path. */
  repeatsBase: boolean;
  notFound: string | undefined;
}

const words: [string, ...string[]] = [
  "guide",
  "start",
  "docs",
  "a b",
  "c#1",
  "what?",
  "50%",
  "größe",
  "v1.2",
  "r&d",
  "x+y",
  "(old)",
  "~me",
  "%41",
];
const extensions: [string, ...string[]] = ["css", "mjs", "svg", "webmanifest", "md", "woff2", "vtt", "json", "map", ""];

export function typeOf(path: string): string {
  return contentType(posix.extname(path)) || "application/octet-stream";
}

/** Returns the path of the file that every server must send for an address. */
export function meaningOf(files: ReadonlyMap<string, string>, path: string): string | undefined {
  const bare = path.replace(/\/$/, "");
  const candidates =
    path === "" || path.endsWith("/")
      ? [`${path}index.html`, `${bare}.html`]
      : [path, `${path}.html`, `${path}/index.html`];
  return candidates.find((candidate) => files.has(candidate));
}

export function drawSite(random: Random): DrawnSite {
  const folder = random.pick(["", "", "docs", "site-7"]);
  const basePath = random.pick(["", "/docs", "/team/v1.2/docs"]);
  const paths = drawPaths(random);
  const repeatsBase = paths.some((path) => /^docs(\/|\.html$|$)/.test(path));
  const isAbsolute = () => random.next() < 0.5;
  const links = new Map(
    paths
      .filter(isPage)
      .map((from) => [from, drawLinks(random, paths, from, () => (isAbsolute() ? basePath : undefined))]),
  );
  const pages = paths.map(
    (path) => [path, isPage(path) ? pageOf(path, links.get(path) ?? []) : `content of ${path}`] as const,
  );
  const special = ["404.html", "robots.txt", "sitemap.xml"].filter(() => random.next() < 0.6);
  const isBeside = () => folder !== "" && random.next() < 0.5;
  const within = folder === "" ? "" : `${folder}/`;
  const archive = new Map(pages.map(([path, content]) => [within + path, content]));
  const beside = new Set(special.filter(isBeside));
  for (const path of special) {
    archive.set((beside.has(path) ? "" : within) + path, `content of ${path}`);
  }
  return {
    basePath,
    archive,
    // Files beside the outer folder stay at the site's root, but the crawl does not request them.
    files: new Map([
      ...pages,
      ...special.filter((path) => !beside.has(path)).map((path) => [path, `content of ${path}`] as const),
    ]),
    links,
    // If the site has its own `docs`, a link to `/docs/…` is ambiguous. Then the mirror needs the input `outerFolder`.
    outerFolder: folder !== "" && repeatsBase ? "remove" : "",
    repeatsBase,
    notFound: special.includes("404.html") ? "content of 404.html" : undefined,
  };
}

const isPage = (path: string) => path.endsWith(".html");

function drawPaths(random: Random): string[] {
  const paths = new Set(["index.html"]);
  for (let count = random.whole(3, 9); count > 0; count--) {
    const folders = Array.from({ length: random.whole(0, 2) }, () => random.pick(words));
    // A page may have the name of a folder beside it, because many tools write such sites.
    const name = random.next() < 0.4 ? "index" : random.pick(words);
    const extension = random.next() < 0.65 ? "html" : random.pick(extensions);
    const path = [...folders, extension === "" ? name : `${name}.${extension}`].join("/");
    const isBoth = [...paths].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    if (!isBoth) {
      paths.add(path);
    }
  }
  return [...paths];
}

/** @param base returns undefined for a relative link. */
function drawLinks(random: Random, paths: string[], from: string, base: () => string | undefined): Link[] {
  const files = new Map(paths.map((path) => [path, ""]));
  return paths.flatMap((target) => {
    const possible = formsOf(target).filter(([, address]) => meaningOf(files, address) === target);
    const [form, address] = random.pick(possible as [(typeof possible)[0]]);
    const absolute = base();
    const prefix = absolute === undefined ? relativeTo(from) : `${absolute}/`;
    const more = random.pick(["", "", "?a=1", "#part", "?a=%2F#part"]);
    return [
      {
        target,
        form,
        href:
          prefix +
          address
            .split("/")
            .map(random.next() < 0.5 ? encodeURIComponent : escapeLeast)
            .join("/") +
          more,
      },
    ];
  });
}

/** Returns the forms of a link to a file, with their addresses below the base path. */
function formsOf(target: string): [Form, string][] {
  const found: [Form, string][] = [["file", target]];
  if (target.endsWith("/index.html") || target === "index.html") {
    const folder = target.slice(0, -"index.html".length);
    found.push(["folder", folder]);
    if (folder !== "") {
      found.push(["bareFolder", folder.slice(0, -1)]);
    }
  } else if (isPage(target)) {
    found.push(["clean", target.slice(0, -".html".length)], ["slash", `${target.slice(0, -".html".length)}/`]);
  }
  return found;
}

/** Returns the path from a page to the site's root. */
function relativeTo(from: string): string {
  const depth = from.split("/").length - 1;
  return depth === 0 ? "./" : "../".repeat(depth);
}

/** Escapes only the characters that are not allowed in an address. */
function escapeLeast(step: string): string {
  return step.replaceAll("%", "%25").replaceAll("#", "%23").replaceAll("?", "%3F").replaceAll(" ", "%20");
}

function pageOf(path: string, links: readonly Link[]): string {
  const list = links.map(({ href }) => `<a href="${href.replaceAll("&", "&amp;")}">x</a>`).join("\n");
  return `<!doctype html><title>${path}</title>\n${list}\n`;
}
