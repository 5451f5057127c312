const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Writes bytes for a person: `"850 B"`, `"1.4 KiB"`, `"64 MiB"`. */
export function formatSize(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
