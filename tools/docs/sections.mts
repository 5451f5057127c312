import type { DocumentReflection } from "typedoc";

export interface Section {
  title: string;
  /** 1 for the title of the page. */
  level: number;
  /** Of a heading of level 1 or 2: up to the next one of these. */
  text: string;
}

/** The headings of a page, each with its text. */
export function sectionsOf({ content }: DocumentReflection): Section[] {
  const sections: Section[] = [];
  const lines = content
    .map((part) => part.text)
    .join("")
    .split("\n");
  let fence: string | undefined;
  for (const line of lines) {
    const marks = /^`{3,}/.exec(line)?.[0];
    if (marks !== undefined && (fence === undefined || fence === marks)) {
      fence = fence === undefined ? marks : undefined;
    }
    const [, hashes, heading] = /^(#+) (.+)$/.exec(line) ?? [];
    if (fence === undefined && hashes !== undefined && heading !== undefined) {
      sections.push({ title: withoutMarks(heading), level: hashes.length, text: "" });
    }
    const current = sections.findLast(({ level }) => level <= 2);
    if (current !== undefined) {
      current.text += `${line}\n`;
    }
  }
  return sections;
}

/** A heading without the marks of code and of links. */
function withoutMarks(heading: string): string {
  return heading.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
