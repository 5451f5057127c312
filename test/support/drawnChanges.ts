import fc from "fast-check";

/** A change of a program: what a resource of it holds takes the place of what that held before. */
export interface ProgramChange {
  site?: { triggers?: number; jobId?: string; waitTimeout?: string };
  bundle?: { renewBefore?: string; version?: string; verifyLink?: boolean };
  copy?: { layout?: "archive" | "site"; publicUrl?: string };
}

/** What happens beside a change. */
export interface Circumstances {
  /** The links that the run mints have ended before the next one. */
  linkIsShort: boolean;
  /** The platform says of a job that it failed, at the next look. */
  fails: boolean;
}

/** A change of one resource or more, with what happens beside it. */
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
  // Seldom: what stands after the export is reached only where it does not fail.
  const fails = fc.nat(4).map((drawn) => drawn === 0);
  return fc.record(
    { site, bundle, copy, linkIsShort: fc.boolean(), fails },
    { requiredKeys: ["linkIsShort", "fails"] },
  );
}
