import { posix } from "node:path";

/** Resolves the links of Markdown files to files of the site. */
export class LinkResolver {
  readonly #targets: ReadonlyMap<string, string>;

  /** @param targets path in the site, by path in the content */
  constructor(targets: ReadonlyMap<string, string>) {
    this.#targets = targets;
  }

  /**
   * The link as it stands in the site, relative to its page; undefined when it leads to a file that the site has not.
   * Links with a scheme and links inside the page stay as they are.
   *
   * @param link the link as written
   * @param source path of the Markdown file it stands in
   */
  resolve(link: string, source: string): string | undefined {
    if (isExternal(link) || link.startsWith("#")) {
      return link;
    }
    const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(link) ?? [];
    const wanted = posix.join(path.startsWith("/") ? "" : posix.dirname(source), decode(path));
    const target = this.#find(wanted.replace(/^\/|\/$/g, ""));
    if (target === undefined) {
      return undefined;
    }
    return encodeURI(relativePath(this.#targets.get(source) ?? "", target)) + rest;
  }

  #find(path: string): string | undefined {
    const candidates = [path, `${path}.md`, posix.join(path, "index.md"), posix.join(path, "README.md")];
    return candidates.map((candidate) => this.#targets.get(candidate)).find((target) => target !== undefined);
  }
}

/** Whether a link leaves the site. */
export function isExternal(link: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link);
}

/** The way from one file of the site to another. */
export function relativePath(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
