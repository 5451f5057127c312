import { setImmediate as breathe } from "node:timers/promises";
import { packArchive } from "./archive";
import { script, style } from "./assets";
import type { ContentFile } from "./content";
import { LinkResolver } from "./linkResolver";
import { renderMarkdown } from "./markdown";
import { type Page, pagesOf } from "./page";
import { assetPaths, renderPageHtml } from "./template";

/** A site made from one state of a content. What has been rendered is kept: jobs of the same content share it. */
export class Site {
  readonly #pages: readonly Page[];
  readonly #images: readonly ContentFile[];
  readonly #links: LinkResolver;
  readonly #rendered = new Map<number, string>();
  #archive: Promise<Buffer> | undefined;

  constructor(files: readonly ContentFile[]) {
    this.#pages = pagesOf(files);
    this.#images = files.filter((file) => !/\.md$/i.test(file.path));
    const images = this.#images.map(({ path }) => [path, path] as const);
    this.#links = new LinkResolver(
      new Map([...images, ...this.#pages.map((page) => [page.source, page.target] as const)]),
    );
  }

  /** Number of its pages, at least one. */
  get pageCount(): number {
    return this.#pages.length;
  }

  /** The HTML of a page, by its place from 0; throws RangeError when there is none. */
  renderPage(index: number): string {
    const done = this.#rendered.get(index);
    if (done !== undefined) {
      return done;
    }
    const page = this.#pages[index];
    if (page === undefined) {
      throw new RangeError(`The site has no page ${index}`);
    }
    const body = renderMarkdown(page.markdown, (link) => this.#links.resolve(link, page.source));
    const html = renderPageHtml(page, this.#pages, body);
    this.#rendered.set(index, html);
    return html;
  }

  /** The whole site as a .tar.gz. Renders the pages that no job has rendered yet. */
  archive(): Promise<Buffer> {
    this.#archive ??= this.#pack();
    return this.#archive;
  }

  async #pack(): Promise<Buffer> {
    const files = new Map<string, string | Buffer>(this.#images.map(({ path, bytes }) => [path, bytes]));
    files.set(assetPaths.style, style);
    files.set(assetPaths.script, script);
    for (const [index, page] of this.#pages.entries()) {
      files.set(page.target, this.renderPage(index));
      // Yields to the event loop, so that requests are answered meanwhile, also for a large site.
      await breathe();
    }
    return packArchive(files);
  }
}
