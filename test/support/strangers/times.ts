import type { Random } from "../random";

/** The times in a job's record. Most platforms write only some of them. */
export interface DrawnTimes {
  fields: Record<string, unknown>;
  /** True if one of the times is the time at which the job ended. */
  hasEnd: boolean;
}

/** The values that servers write for a missing time: the zero times of languages, databases and file systems. */
const zeros = [
  ...["0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01 00:00:00+00:00", "0000-00-00 00:00:00"],
  ...["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000+00:00", "1970-01-01", 0, "0", 0.0, -1],
  ...["1601-01-01T00:00:00Z", "1753-01-01T00:00:00", "1899-12-30T00:00:00", "1900-01-01 00:00:00", "1904-01-01"],
  ...["1980-01-01T00:00:00Z", "1999-11-30 00:00:00", "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z", 978_307_200],
  ...[-62_135_596_800, "-62135596800", -2_208_988_800, "Mon, 01 Jan 0001 00:00:00 GMT", { seconds: 0, nanos: 0 }],
  ...[null, "", " ", "null", "N/A", "never", "just now", false, true, [], {}, { seconds: null }, "-", "∞"],
] as const;

/** Returns a time in one of the common forms, chosen at random. Each form is exact to the second or better. */
function written(random: Random, at: number): unknown {
  const iso = new Date(at).toISOString();
  const forms: [unknown, ...unknown[]] = [
    iso,
    ...[iso.replace(/\.\d+Z$/, "Z"), iso.replace("Z", "+00:00"), iso.replace("Z", "123456Z")],
    ...[iso.replace("T", " ").replace("Z", ""), iso.slice(0, -1), new Date(at).toUTCString()],
    ...[at, Math.floor(at / 1_000), at / 1_000, String(at), String(Math.floor(at / 1_000)), at * 1_000],
    { seconds: Math.floor(at / 1_000), nanos: 0 },
  ];
  return random.pick(forms);
}

/** Generates the times in the record of a completed job. `begin` and `end` are in milliseconds since the epoch. */
export function drawTimes(random: Random, begin: number, end: number): DrawnTimes {
  const fields: Record<string, unknown> = {};
  const draw = (name: string, at: number): boolean => {
    const kind = random.pick(["missing", "zero", "zero", "real"]);
    Object.assign(fields, kind !== "missing" && { [name]: kind === "zero" ? random.pick(zeros) : written(random, at) });
    return kind === "real";
  };
  draw("startedAt", begin);
  draw("createdAt", begin);
  const ends = [draw("completedAt", end), draw("finishedAt", end), draw("updatedAt", end)];
  return { fields, hasEnd: ends.includes(true) };
}
