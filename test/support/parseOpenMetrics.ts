interface Metric {
  labels: Record<string, string>;
  value: number;
}

const nameForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/;
const sample = new RegExp(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${label.source}(?:,${label.source})*)\\})? (\\S+)$`);

/**
 * Parses a text by the rules that OpenMetrics 1.0 and the Prometheus text format share.
 * @throws Error if a line breaks the grammar, a metric's lines are not together, a sample does not fit its metric's
 * type, or two samples have the same name and labels.
 */
export function parseOpenMetrics(text: string): Record<string, Metric[]> {
  const lines = text.split("\n");
  if (lines.at(-1) !== "" || lines.at(-2) !== "# EOF") {
    throw new Error("the text must end with # EOF and a line end");
  }
  const families: Record<string, Metric[]> = {};
  const seen = new Set<string>();
  let current: string | undefined;
  for (const line of lines.slice(0, -2)) {
    const [, kind, name = "", rest = ""] = /^# (TYPE|HELP) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "TYPE") {
      if (!nameForm.test(name) || name in families || !["gauge", "counter"].includes(rest)) {
        throw new Error(`a family that is wrong or comes twice: ${line}`);
      }
      current = name;
      families[name] = [];
    } else if (kind === "HELP") {
      if (name !== current || families[name]?.length) {
        throw new Error(`a help text in the wrong place: ${line}`);
      }
    } else {
      const found = sample.exec(line);
      const [, of = "", labels = ""] = found ?? [];
      const value = Number(found?.at(-1));
      if (found === null || of !== current || !Number.isFinite(value) || seen.has(`${of}${labels}`)) {
        throw new Error(`not a sample of ${current}, or one that comes twice: ${line}`);
      }
      seen.add(`${of}${labels}`);
      const pairs = [...labels.matchAll(new RegExp(label, "g"))];
      families[of]?.push({
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key, unescaped(text ?? "")])),
        value,
      });
    }
  }
  return families;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character) => (character === "n" ? "\n" : character));
}
