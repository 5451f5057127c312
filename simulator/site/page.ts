import { posix } from "node:path";
import type { ContentFile } from "./content";

export interface Page {
  /** The path of the Markdown in the content. */
  readonly source: string;
  /** The path of the HTML in the site. */
  readonly target: string;
  readonly title: string;
  readonly markdown: string;
}

/** The start page comes first. There is always an `index.html`. */
export function parseMarkdownPages(files: readonly ContentFile[]): Page[] {
  const markdown = files.filter((file) => /\.md$/i.test(file.path));
  const paths = new Set(markdown.map((file) => file.path));
  const pages = markdown.map((file) => toPage(file.path, file.bytes.toString("utf8"), paths));
  const start = pages.find((page) => page.target === "index.html") ?? contentsPage(pages);
  return [start, ...pages.filter((page) => page !== start)];
}

function toPage(source: string, text: string, paths: ReadonlySet<string>): Page {
  const markdown = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, "");
  const heading = /^#\s+(.+?)\s*#*\s*$/m.exec(markdown)?.[1]?.replaceAll(/[`*_]/g, "");
  return { source, target: targetOf(source, paths), title: heading || posix.parse(source).name, markdown };
}

/** README.md becomes the index of its folder, as on code hosts, unless the folder has an index.md. */
function targetOf(source: string, paths: ReadonlySet<string>): string {
  const { dir, name } = posix.parse(source);
  const isIndex = name.toLowerCase() === "readme" && !paths.has(posix.join(dir, "index.md"));
  return posix.join(dir, `${isIndex ? "index" : name}.html`);
}

function contentsPage(pages: readonly Page[]): Page {
  const list = pages.map((page) => `- [${page.title}](<${page.source}>)`).join("\n");
  const markdown = `# Contents\n\n${list || "There is no page yet."}\n`;
  return { source: "index.md", target: "index.html", title: "Contents", markdown };
}
