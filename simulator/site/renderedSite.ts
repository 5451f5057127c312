import { buffer } from "node:stream/consumers";
import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { pack } from "tar-stream";
import type { ContentFile } from "./content";
import { resolveLink } from "./linkResolver";
import { renderMarkdown } from "./markdown";
import { type Page, parseMarkdownPages } from "./page";
import { style } from "./style";
import { renderPageHtml, stylePath } from "./template";

/** All jobs with the same files share the rendered pages. */
export class RenderedSite {
  readonly #pages: readonly Page[];
  readonly #images: readonly ContentFile[];
  readonly #targets: ReadonlyMap<string, string>;
  readonly #rendered = new Map<number, string>();
  #archive: Promise<Buffer> | undefined;

  constructor(files: readonly ContentFile[]) {
    this.#pages = parseMarkdownPages(files);
    this.#images = files.filter((file) => !/\.md$/i.test(file.path));
    const images = this.#images.map(({ path }) => [path, path] as const);
    this.#targets = new Map([...images, ...this.#pages.map((page) => [page.source, page.target] as const)]);
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  /** Throws RangeError if there is no page with this index. */
  renderPage(index: number): string {
    const done = this.#rendered.get(index);
    if (done !== undefined) {
      return done;
    }
    const page = this.#pages[index];
    if (page === undefined) {
      throw new RangeError(`The site has no page ${index}`);
    }
    const body = renderMarkdown(page.markdown, (link) => resolveLink(link, page.source, this.#targets));
    const html = renderPageHtml(page, this.#pages, body);
    this.#rendered.set(index, html);
    return html;
  }

  /** Also renders the pages that no job has rendered yet. */
  archive(): Promise<Buffer> {
    this.#archive ??= this.#pack();
    return this.#archive;
  }

  async #pack(): Promise<Buffer> {
    const files = new Map<string, string | Buffer>(this.#images.map(({ path, bytes }) => [path, bytes]));
    files.set(stylePath, style);
    for (const [index, page] of this.#pages.entries()) {
      files.set(page.target, this.renderPage(index));
      // Lets the platform answer requests while it packs a large site.
      await breathe();
    }
    return packArchive(files);
  }
}

/** Equal files give equal bytes: the entries are sorted, have no owner, and have the time 0. */
async function packArchive(files: ReadonlyMap<string, string | Buffer>): Promise<Buffer> {
  const tar = pack();
  const packed = buffer(tar);
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    tar.entry({ name, mtime: new Date(0), mode: 0o644 }, content);
  }
  tar.finalize();
  return promisify(gzip)(await packed, { level: 9 });
}
