import { isPage } from "./fileNames";

/** A link may continue in the next chunk. So this many characters at the end of a chunk are searched again. */
const overlap = 1_024;

/** The largest number of names that are collected. A page at the root of an archive needs only a few. */
const mostNames = 1_000;

/** Matches the first name in a link. A link begins after a quote, an equals sign or a parenthesis. */
const nameInLink = /["'=(](?:\.?\/)?([^"'/?#():\s<>]{1,255})(?=[/?#"')\s>])/g;

/** Finds out whether the pages of an archive contain links that begin with the name of a folder at its root. */
export class PageLinkScanner {
  readonly #names = new Set<string>();

  /** Passes the content on. If the file is a page, its links are also read. */
  async *read(path: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const [own = "", ...deeper] = path.split("/");
    let rest = "";
    for await (const chunk of content) {
      if (isPage(path)) {
        const text = rest + chunk.toString("latin1");
        if (deeper.length === 0) {
          this.#addNames(text);
        } else if (!this.#names.has(own) && addresses(text, own)) {
          this.#names.add(own);
        }
        rest = text.slice(-overlap);
      }
      yield chunk;
    }
  }

  leadThrough(folder: string): boolean {
    return formsOf(folder).some((form) => this.#names.has(form));
  }

  #addNames(text: string): void {
    for (const [, name = ""] of text.matchAll(nameInLink)) {
      if (this.#names.size < mostNames) {
        this.#names.add(name);
      }
    }
  }
}

function addresses(text: string, folder: string): boolean {
  return formsOf(folder).some((form) =>
    [`"/${form}/`, `'/${form}/`, `=/${form}/`, `(/${form}/`, `"/${form}"`, `'/${form}'`].some((link) =>
      text.includes(link),
    ),
  );
}

/**
 * Returns the forms that a name can have in a page. The second form is for pages in UTF-8, because the scanner reads
 * every page as Latin-1.
 */
function formsOf(name: string): string[] {
  return [name, Buffer.from(name).toString("latin1"), encodeURIComponent(name)];
}
