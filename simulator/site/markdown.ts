import MarkdownIt from "markdown-it";
import { isExternalLink } from "./linkResolver";

const markdownIt = new MarkdownIt();

/**
 * The HTML loads nothing from other servers. An image on another server becomes its alternative text, and raw HTML
 * becomes text.
 */
export function renderMarkdown(markdown: string, resolve: (link: string) => string | undefined): string {
  const tokens = markdownIt.parse(markdown, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      token.attrSet("id", slug(tokens[index + 1]?.content ?? ""));
    }
    for (const child of token.children ?? []) {
      if (child.type === "link_open") {
        rewriteLink(child, resolve);
      }
      if (child.type === "image") {
        rewriteImage(child, resolve);
      }
    }
  }
  return markdownIt.renderer.render(tokens, markdownIt.options, {});
}

function rewriteLink(token: MarkdownIt.Token, resolve: (link: string) => string | undefined): void {
  const link = String(token.attrGet("href") ?? "");
  const resolved = resolve(link);
  // A link to a file that the site does not have becomes plain text.
  if (resolved === undefined) {
    token.attrs = [];
  } else {
    token.attrSet("href", resolved);
  }
  if (isExternalLink(link)) {
    token.attrSet("rel", "noreferrer");
  }
}

function rewriteImage(token: MarkdownIt.Token, resolve: (link: string) => string | undefined): void {
  const source = String(token.attrGet("src") ?? "");
  const resolved = isExternalLink(source) ? undefined : resolve(source);
  if (resolved === undefined) {
    token.type = "text";
  } else {
    token.attrSet("src", resolved);
  }
}

/** Returns the id that code hosts give to a heading, so that links to sections also work in the site. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}
