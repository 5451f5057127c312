/** The points that the API text leaves open: a deployment may answer them in its own way. */
export interface Dialect {
  /** Status of an accepted start. Default 201. */
  startStatus: 200 | 201 | 202;
  /** Status word of a job that runs. Default `running`; a client must understand any other word as still running. */
  runningStatus: string;
  /**
   * How progress is told while a job is queued or runs: `42`, `0.42`, `"42%"`, `{completed: 5, total: 12}` (pages) or
   * not at all. Default `percent`. A job that has ended carries none.
   */
  progress: "percent" | "fraction" | "text" | "object" | "none";
  /**
   * How `expiresAt` is written: `2030-01-02T03:04:05.678Z`, the same without an offset (meant as UTC), the same with
   * the offset `+02:00`, whole seconds since the epoch (rounded down) or milliseconds. Default `iso`.
   */
  expiresAt: "iso" | "isoNoOffset" | "isoOffset" | "epochSeconds" | "epochMilliseconds";
  /** Whether a job tells the number of pages rendered so far, also once it is completed. Default true. */
  pageCount: boolean;
  /** Whether a job tells `startedAt` and `completedAt` (ISO 8601, UTC). Default false. */
  times: boolean;
  /** Whether bodies carry fields that the API text does not name, such as `sizeBytes`. Default true. */
  extraFields: boolean;
}

/** The dialect of a platform that was given none. */
export const defaultDialect: Readonly<Dialect> = {
  startStatus: 201,
  runningStatus: "running",
  progress: "percent",
  expiresAt: "iso",
  pageCount: true,
  times: false,
  extraFields: true,
};

/** Progress in words of a dialect: a share from 0 to 1, and the pages behind it. Undefined where the dialect has none. */
export function writeProgress(
  style: Dialect["progress"],
  share: number,
  pages: { completed: number; total: number },
): number | string | { completed: number; total: number } | undefined {
  const percent = Math.floor(share * 100);
  switch (style) {
    case "percent":
      return percent;
    case "fraction":
      return percent / 100;
    case "text":
      return `${percent}%`;
    case "object":
      return { completed: pages.completed, total: pages.total };
    case "none":
      return undefined;
  }
}

/** A point in time (milliseconds since the epoch) in words of a dialect. */
export function writeExpiry(style: Dialect["expiresAt"], time: number): string | number {
  switch (style) {
    case "iso":
      return new Date(time).toISOString();
    case "isoNoOffset":
      return new Date(time).toISOString().replace("Z", "");
    case "isoOffset":
      return new Date(time + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
    case "epochSeconds":
      // Rounds down, so that no link is promised for longer than it lives.
      return Math.floor(time / 1000);
    case "epochMilliseconds":
      return time;
  }
}
