const width = 100;
const longestCell = 36;
const indent = "    ";

export interface StatusTableRow {
  cells: readonly string[];
  /** The texts after the cells of the row. A text that does not fit into the current line begins a new line. */
  facts: readonly string[];
}

/** Formats rows in columns, in lines of at most 100 characters. */
export function formatRows(rows: readonly StatusTableRow[]): string[] {
  const columns = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(longestCell, Math.max(0, ...rows.map(({ cells }) => cells[column]?.length ?? 0))),
  );
  return rows.flatMap(({ cells, facts }) => {
    const padded = cells.map((cell, column) => (cut(cell, longestCell) || "-").padEnd(widths[column] ?? 0));
    const all = facts.map((fact, number) => (number === facts.length - 1 ? fact : `${fact},`));
    return filled([`${padded.join("  ")} `, ...all]);
  });
}

/** Splits a text into lines. A line ends between two words, but never within a command in backticks. */
export function wrapText(text: string): string[] {
  return filled(text.match(/(?:`[^`]*`|\S)+/g) ?? []);
}

function filled(parts: readonly string[]): string[] {
  const all: string[] = [];
  for (const part of parts) {
    const longer = `${all.at(-1)} ${part}`;
    if (all.length > 0 && longer.length <= width) {
      all[all.length - 1] = longer;
    } else {
      all.push(all.length === 0 ? part : `${indent}${part}`);
    }
  }
  return all.map((line) => cut(line.trimEnd(), width));
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
