import type { ResourceStatus, StatusReport } from "./statusReport";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/**
 * Some textfile collectors read only the older Prometheus format, without the type `info` and without units. Therefore
 * every metric is a gauge without a unit.
 */
export function formatOpenMetrics({ stack, resources, interrupted }: StatusReport): string {
  const of = (value: (row: ResourceStatus) => number | undefined, more: (row: ResourceStatus) => Labels = () => ({})) =>
    resources.flatMap((row): Sample[] => {
      const found = value(row);
      return found === undefined ? [] : [[{ stack, resource: row.resource, ...more(row) }, found]];
    });
  const seconds = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time) / 1_000);
  const isMirror = ({ type }: ResourceStatus) => (type === "BundleMirror" ? 1 : undefined);
  const mirrored = ({ digest, sha256, version = "" }: ResourceStatus) => ({ digest: digest ?? sha256 ?? "", version });
  return [
    ...family(
      "link_expiration_timestamp_seconds",
      "When the link ends.",
      of(({ expiresAt }) => seconds(expiresAt)),
    ),
    ...family(
      "link_renewal_timestamp_seconds",
      "From when a run renews the link.",
      of((row) => seconds(row.renewAt)),
    ),
    ...family(
      "export_duration_seconds",
      "How long the export took.",
      of(({ tookSeconds }) => tookSeconds),
    ),
    ...family("mirror_info", "The content of a mirror.", of(isMirror, mirrored)),
    ...family("interrupted_starts", "Starts and waits that no run has seen end.", [[{ stack }, interrupted.length]]),
    "# EOF\n",
  ].join("\n");
}

function family(name: string, help: string, samples: readonly Sample[]): string[] {
  const full = `docs_platform_${name}`;
  const lines = samples.map(([labels, value]) => `${full}{${labelsText(labels)}} ${value}`);
  return lines.length === 0 ? [] : [`# TYPE ${full} gauge`, `# HELP ${full} ${help}`, ...lines];
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`)
    .join(",");
}
