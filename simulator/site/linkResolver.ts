import { posix } from "node:path";

/**
 * Converts a link in a Markdown file to a relative link in the site. Links with a scheme and links inside the page do
 * not change.
 * @param targets for each path in the content, the path in the site
 * @returns undefined if the site does not have the linked file
 */
export function resolveLink(link: string, source: string, targets: ReadonlyMap<string, string>): string | undefined {
  if (isExternalLink(link) || link.startsWith("#")) {
    return link;
  }
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(link) ?? [];
  const wanted = posix.join(path.startsWith("/") ? "" : posix.dirname(source), decodeURIComponent(path));
  const target = targets.get(wanted.replace(/^\//, ""));
  return target && encodeURI(relativePath(targets.get(source) ?? "", target)) + rest;
}

export function isExternalLink(link: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link);
}

export function relativePath(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}
