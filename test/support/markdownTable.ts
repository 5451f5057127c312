/** The lines of a Markdown table, whose first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const [head = [], ...others] = rows;
  return [line(head), line(head.map(() => "---")), ...others.map(line)];
}
