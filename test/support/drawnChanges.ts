import fc from "fast-check";

/** A random change of a program: the new inputs of each resource. */
export interface ProgramChange {
  site?: { triggers?: number; jobId?: string; waitTimeout?: string };
  bundle?: { renewBefore?: string; version?: string; verifyLink?: boolean };
  copy?: { layout?: "archive" | "site"; publicUrl?: string };
}

/** The circumstances in which a change is run. */
export interface Circumstances {
  /** True if the link expires before the next run. */
  linkIsShort: boolean;
  /** True if the platform reports the job as failed at the next poll. */
  fails: boolean;
}

/** Generates a change of one or more resources, and its circumstances. */
export function changeOf(jobs: readonly string[]): fc.Arbitrary<ProgramChange & Circumstances> {
  const site = fc.record(
    { triggers: fc.nat(3), jobId: fc.constantFrom(...jobs), waitTimeout: fc.constantFrom("30m", "45m") },
    { requiredKeys: [] },
  );
  const bundle = fc.record(
    {
      renewBefore: fc.constantFrom("0", "24h"),
      version: fc.constantFrom("v1", "v2"),
      verifyLink: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const copy = fc.record(
    {
      layout: fc.constantFrom<("archive" | "site")[]>("archive", "site"),
      publicUrl: fc.constantFrom("https://a.example.com", "https://b.example.com"),
    },
    { requiredKeys: [] },
  );
  // Only one export in five fails, because after a failed export, the run does not reach the resources that depend on
  // this export.
  const fails = fc.nat(4).map((drawn) => drawn === 0);
  return fc.record(
    { site, bundle, copy, linkIsShort: fc.boolean(), fails },
    { requiredKeys: ["linkIsShort", "fails"] },
  );
}
