/** The first pattern that matches a line decides. */
const looks: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^\$ /, "command"],
  [/^━━ /, "step"],
  [/^ \+ {2}|^ {4}\+ /, "made"],
  [/^ {1,4}~ /, "changed"],
  [/^(link|bundle|Helm values|platform): |^Helm values /, "told"],
];

/** The engine's lines that a picture leaves out. */
const besides = /^Updating \(|^Duration: |pulumi:pulumi:Stack/;

/** A table of `status` needs this width. */
const columns = 100;
/** The indentation of the continued part of a long line. */
const continued = " ".repeat(4);
const [charWidth, lineHeight, margin] = [7.25, 17, 16];

export function shownLines(session: string): string[] {
  const lines = session.split("\n").filter((line) => !besides.test(line));
  return lines.filter((line, index) => line.trim() !== "" || (lines[index - 1] ?? "").trim() !== "");
}

/** For each recording: selects the lines that the picture shows. */
export const linesToDraw: Readonly<Record<string, (session: string) => string[]>> = {
  run: shownLines,
  cluster: shownLines,
  status: (session) => session.split("\n"),
};

/** Long lines are wrapped. */
export function draw(lines: readonly string[]): string {
  const rows = lines
    .flatMap((line) => {
      const style = looks.find(([pattern]) => pattern.test(line))?.[1] ?? "plain";
      return broken(line.trimEnd()).map((text) => ({ style, text }));
    })
    .map(({ style, text }, index) => {
      const y = margin + 14 + index * lineHeight;
      return `<text class="${style}" x="${margin}" y="${y}">${escapeXml(text)}</text>`;
    });
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = rows.length * lineHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="A run in a terminal">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #c9d1d9; }
.command, .step { fill: #ffffff; font-weight: bold; } .made { fill: #7ee787; } .changed { fill: #e3b341; } .told { fill: #79c0ff; }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
}

/** Breaks a line at the last blank that fits, or at the width if there is no blank. */
function broken(line: string): string[] {
  if (line.length <= columns) {
    return [line];
  }
  const blank = line.lastIndexOf(" ", columns);
  const end = blank > continued.length ? blank : columns;
  return [line.slice(0, end), ...broken(continued + line.slice(end).trimStart())];
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
