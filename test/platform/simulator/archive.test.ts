import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { describe, expect, test } from "vitest";
import type { PlatformOptions } from "../../../simulator";
import { temporaryFolder } from "../../support/temporaryFolder";
import { fetchUrl, linkOf, platformFor } from "./support";

const image = Buffer.from("89504e470d0a1a0a", "hex");

const content = {
  "README.md": [
    "# Widget `API`\n",
    "[Guide](guide/start.md#first-step), [folder](guide/index.md), [gone](missing.md), [site](https://example.com/a)",
    "![badge](https://img.example.com/badge.svg) ![logo](img/logo.png) <b>raw</b>\n",
    "<script src='https://evil.example.com/x.js'></script>\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "```sh\ncurl https://example.com\n```\n",
  ].join("\n"),
  "guide/index.md": "---\ntitle: Another\n---\n# The guide\n\nText & more, [home](../README.md)\n",
  "guide/start.md": "# Start\n\n## First step\n\n[abs](/guide/two%20words.md)\n",
  "guide/two words.md": "no heading",
  "img/logo.png": image,
  "notes.txt": "not for the site",
  ".hidden/secret.md": "# Secret",
};

function contentFolder(files: Record<string, string | Buffer> = content): string {
  const folder = temporaryFolder();
  for (const [path, data] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), data);
  }
  return folder;
}

async function download(options: PlatformOptions): Promise<Buffer> {
  return (await fetchUrl(await linkOf(await platformFor(options)))).bytes;
}

async function open(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of Readable.from([gunzipSync(archive)]).pipe(extract())) {
    files.set(entry.header.name, await buffer(entry));
  }
  return files;
}

const site = async (folder: string) => open(await download({ content: folder }));

describe("the archive", () => {
  test("contains every page as HTML, the images, and one style sheet, and nothing else", async () => {
    const files = await site(contentFolder());
    expect([...files.keys()]).toEqual([
      "guide/index.html",
      "guide/start.html",
      "guide/two words.html",
      "img/logo.png",
      "index.html",
      "style.css",
    ]);
    expect(files.get("img/logo.png")?.equals(image)).toBe(true);
  });

  test("loads and links only what is in it, by relative links, and other sites by a click", async () => {
    const files = await site(contentFolder());
    let links = 0;
    for (const [path, bytes] of files) {
      const text = bytes.toString("utf8");
      expect(text).not.toMatch(/@import|url\(/);
      for (const [, tag, link = ""] of text.matchAll(
        /<(a|link|img|script|iframe|source) [^>]*?(?:href|src)="([^"]*)"/g,
      )) {
        if (link === "data:," || (tag === "a" && link.startsWith("https://"))) {
          continue;
        }
        expect(link).not.toMatch(/^\/|\.md/);
        expect(files.has(posix.join(posix.dirname(path), decodeURI(link.replace(/#.*/, ""))))).toBe(true);
        links += 1;
      }
    }
    expect(links).toBeGreaterThan(25);
  });

  test("renders links, tables, code, headings and raw HTML as a reader expects", async () => {
    const files = await site(contentFolder());
    const index = files.get("index.html")?.toString("utf8") ?? "";
    expect(index).toContain("<title>Widget API</title>");
    expect(index).toContain('<a href="guide/start.html#first-step">Guide</a>');
    expect(index).toContain('<a href="guide/index.html">folder</a>');
    expect(index).toContain("<a>gone</a>");
    expect(index).toContain('<a href="https://example.com/a" rel="noreferrer">site</a>');
    expect(index).toContain('<img src="img/logo.png" alt="logo">');
    expect(index).toContain("badge");
    expect(index).not.toContain("img.example.com");
    expect(index).toContain("&lt;b&gt;raw&lt;/b&gt;");
    expect(index).toContain("&lt;script src=");
    expect(index).toMatch(/<table>[\s\S]*<td>2<\/td>/);
    expect(index).toContain('<code class="language-sh">');
    const start = files.get("guide/start.html")?.toString("utf8") ?? "";
    expect(start).toContain('<h2 id="first-step">');
    expect(start).toContain('<a href="two%20words.html">abs</a>');
    expect(start).toContain('<link rel="stylesheet" href="../style.css">');
    expect(start).toContain('<a href="start.html" aria-current="page">Start</a>');
    expect(start).toContain('<a href="index.html">The guide</a>');
    expect(files.get("guide/index.html")?.toString("utf8")).toContain("<p>Text &amp; more,");
  });

  test("is the same bytes for the same content, and others once the content has changed", async () => {
    const folder = contentFolder();
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    const platform = await platformFor({ content: folder });
    const first = (await fetchUrl(await linkOf(platform))).bytes;
    expect(first.equals(await download({ content: copy }))).toBe(true);
    expect(first.equals((await fetchUrl(await linkOf(platform))).bytes)).toBe(true);
    writeFileSync(join(folder, "new.md"), "# New");
    const changed = await open((await fetchUrl(await linkOf(platform))).bytes);
    expect(changed.has("new.html")).toBe(true);
  });

  test("has an index.html that lists the pages when the content has none, also when there is no page", async () => {
    const listed = (await site(contentFolder({ "a/b.md": "# B page" }))).get("index.html")?.toString("utf8");
    expect(listed).toContain('<li><a href="a/b.html">B page</a></li>');
    const empty = (await site(temporaryFolder())).get("index.html")?.toString("utf8");
    expect(empty).toContain("There is no page yet.");
  });
});
