import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";

const markdown = new MarkdownIt();
const roots = ["docs", "charts", "examples", "provider", "simulator", "tools", "lab", "test"];

export const documents: string[] = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith(".md")),
  ...roots.flatMap((root) =>
    filesIn(join(projectRoot, root))
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
      .map((name) => `${root}/${name}`),
  ),
].toSorted();

export interface Document {
  blocks: { language: string; text: string }[];
  /** The targets of links and pictures, unchanged. */
  links: string[];
  /** The ids of the headings, as GitHub makes them. */
  anchors: Set<string>;
}

export function readDocument(path: string): Document {
  const tokens = markdown.parse(readFileSync(join(projectRoot, path), "utf8"), {});
  const inner = tokens.flatMap(({ children }) => children ?? []);
  const slugs = tokens.flatMap((token, index) =>
    token.type === "heading_open" ? [slug(tokens[index + 1]?.children ?? [])] : [],
  );
  return {
    blocks: tokens
      .filter(({ type }) => type === "fence")
      .map(({ info, content }) => ({ language: info.trim(), text: content })),
    links: inner.flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? []).map(String),
    anchors: new Set(
      slugs.map((id, index) => numbered(id, slugs.slice(0, index).filter((other) => other === id).length)),
    ),
  };
}

function slug(heading: MarkdownIt.Token[]): string {
  return heading
    .map(({ content }) => content)
    .join("")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function numbered(id: string, earlier: number): string {
  return earlier === 0 ? id : `${id}-${earlier}`;
}
