/** How a line is shown; the first that fits. */
const looks: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^\$ /, "command"],
  [/^━━ /, "step"],
  [/^ \+ {2}|^ {4}\+ /, "made"],
  [/^ {1,4}~ /, "changed"],
  [/^(link|bundle|Helm values|platform): |^Helm values /, "told"],
];

/** What the engine prints beside its story. */
const besides =
  /^@ |^(Updating|Destroying) \(|^Duration: |pulumi:pulumi:Stack|^ - {2}|^ {4}- |^The resources in the stack/;

const columns = 144;
const [charWidth, lineHeight, margin] = [7.25, 17, 16];

/** The lines of a session that are worth a picture: without the engine's asides, and each only once. */
export function worthShowing(session: string): string[] {
  const seen = new Set<string>();
  const lines = session.split("\n").filter((line) => {
    const shown = !besides.test(line) && (line.trim() === "" || !seen.has(line));
    seen.add(line);
    return shown;
  });
  return lines.filter((line, index) => line.trim() !== "" || (lines[index - 1] ?? "").trim() !== "");
}

/** The lines of a terminal as an SVG picture. Lines that are too long are cut. */
export function draw(lines: readonly string[]): string {
  const rows = lines.map((line, index) => {
    const text = line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
    const style = looks.find(([pattern]) => pattern.test(line))?.[1] ?? "plain";
    return `<text class="${style}" x="${margin}" y="${margin + 14 + index * lineHeight}">${escapeXml(text)}</text>`;
  });
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run in a terminal">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #c9d1d9; }
.command, .step { fill: #ffffff; font-weight: bold; } .made { fill: #7ee787; } .changed { fill: #e3b341; } .told { fill: #79c0ff; }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
