import fc from "fast-check";

/** The new inputs of each resource. */
export interface ProgramChange {
  site?: { triggers?: number; jobId?: string; waitTimeout?: string };
  bundle?: { renewBefore?: string; version?: string; verifyLink?: boolean };
  copy?: { layout?: "archive" | "site"; publicUrl?: string };
}

export interface Circumstances {
  /** The link expires before the next run. */
  linkIsShort: boolean;
  /** The platform reports the job as failed at the next poll. */
  fails: boolean;
}

export function arbitraryChange(jobs: readonly string[]): fc.Arbitrary<ProgramChange & Circumstances> {
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
  // After a failed export, the run does not reach the resources that need the export. So only one export in five fails.
  const fails = fc.nat(4).map((drawn) => drawn === 0);
  return fc.record(
    { site, bundle, copy, linkIsShort: fc.boolean(), fails },
    { requiredKeys: ["linkIsShort", "fails"] },
  );
}
