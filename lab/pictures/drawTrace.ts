import type { ShownSpan } from "./recordTrace";

const [width, nameWidth, rowHeight, margin] = [720, 205, 22, 16];
/** After the last bar there is room for its time. */
const barsWidth = width - nameWidth - 2 * margin - 56;

/** The spans of a trace as an SVG picture: a bar each, with a dot for each event. */
export function drawTrace(spans: readonly ShownSpan[]): string {
  const last = Math.max(...spans.map(({ end }) => end));
  const x = (time: number) => Math.round(margin + nameWidth + (time / last) * barsWidth);
  const rows = spans.map((span, index) => drawSpan(span, margin + index * rowHeight, x));
  const height = spans.length * rowHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The spans of a run">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #8b949e; }
.ours { fill: #79c0ff; } rect.engine { fill: #30363d; } rect.ours { fill: #1f6feb; } circle { fill: #ffffff; }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
}

function drawSpan({ service, name, depth, begin, end, events }: ShownSpan, y: number, x: (time: number) => number) {
  const whose = service === "pulumi-docs-platform" ? "ours" : "engine";
  const [left, right, middle] = [x(begin), x(end), y + rowHeight / 2];
  const bar = `<rect class="${whose}" x="${left}" y="${y + 5}" width="${Math.max(2, right - left)}" height="12" rx="2"/>`;
  const dots = events.map((time) => `<circle cx="${x(time)}" cy="${middle}" r="2.5"/>`).join("");
  const seconds = ((end - begin) / 1_000).toFixed(end - begin < 1_000 ? 2 : 1);
  return [
    `<text class="${whose}" x="${margin + depth * 14}" y="${middle + 4}">${name}</text>`,
    `${bar}${dots}<text x="${Math.max(right, left + 2) + 6}" y="${middle + 4}">${seconds} s</text>`,
  ].join("");
}
