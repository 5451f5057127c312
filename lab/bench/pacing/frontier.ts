/** The requests and delays of the policies in one situation. */
export interface Panel {
  title: string;
  points: { name: string; ours: boolean; requests: number; delay: number }[];
  /** The lowest product of requests and delay without progress; seconds. */
  bound: number;
}

const size = { width: 420, height: 360, left: 46, right: 12, top: 34, bottom: 40 };
const requests = { low: 1, high: 300, ticks: [1, 3, 10, 30, 100, 300] };
const delay = { low: 0.2, high: 100, ticks: [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100] };

/**
 * Draws requests against delay as an SVG, both on logarithmic scales. Points closer to the lower left corner are
 * better.
 */
export function drawFrontier(panels: readonly Panel[]): string {
  const drawn = panels.map((panel, index) => `<g transform="translate(${index * size.width} 0)">${draw(panel)}</g>`);
  const width = size.width * panels.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size.height}" font-family="sans-serif" font-size="10">`,
    `<rect width="${width}" height="${size.height}" fill="#fff"/>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

function draw({ title, points, bound }: Panel): string {
  const bottom = size.height - size.bottom;
  const grid = [
    ...requests.ticks.map(
      (tick) => line(x(tick), size.top, x(tick), bottom) + text(x(tick), bottom + 14, tick, "middle"),
    ),
    ...delay.ticks.map(
      (tick) =>
        line(size.left, y(tick), size.width - size.right, y(tick)) + text(size.left - 4, y(tick) + 3, tick, "end"),
    ),
  ];
  return [
    text(size.left, 16, title, "start", 'font-weight="bold" font-size="12"'),
    ...grid,
    text((size.left + size.width) / 2, size.height - 8, "requests", "middle"),
    text(size.left - 4, size.top - 8, "delay, s", "middle"),
    boundLine(bound),
    text(size.width - size.right, size.top - 8, "dashed: the bound without progress", "end"),
    ...points.map(dot),
  ].join("\n");
}

/** Our own names stand below their dots, because the dots lie close together. */
function dot({ name, ours, ...at }: Panel["points"][number]): string {
  const [cx, cy] = [x(at.requests), y(at.delay)];
  const colour = `fill="${ours ? "#c2410c" : "#334155"}"`;
  const label = ours ? text(cx, cy + 14, name, "middle", colour) : text(cx + 6, cy + 3, name, "start", colour);
  return `<circle cx="${round(cx)}" cy="${round(cy)}" r="${ours ? 4 : 3}" ${colour}/>${label}`;
}

/** On logarithmic scales, a constant product is a straight line. */
function boundLine(bound: number): string {
  const from = Math.max(requests.low, bound / delay.high);
  const to = Math.min(requests.high, bound / delay.low);
  return `<line x1="${round(x(from))}" y1="${round(y(bound / from))}" x2="${round(x(to))}" y2="${round(y(bound / to))}" stroke="#64748b" stroke-dasharray="4 3"/>`;
}

function x(value: number): number {
  return size.left + share(value, requests) * (size.width - size.left - size.right);
}

function y(value: number): number {
  return size.height - size.bottom - share(value, delay) * (size.height - size.top - size.bottom);
}

function share(value: number, { low, high }: { low: number; high: number }): number {
  return Math.log(Math.min(high, Math.max(low, value)) / low) / Math.log(high / low);
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#e2e8f0"/>`;
}

function text(atX: number, atY: number, value: string | number, anchor: string, more = ""): string {
  return `<text x="${round(atX)}" y="${round(atY)}" text-anchor="${anchor}" ${more}>${value}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
