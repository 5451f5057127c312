import { describe, expect, it } from "vitest";
import { requestsTo, start, tally, testPlatform } from "../support/engineTest";
import { hosts } from "../support/protocol/protocolHosts";
import { ProviderError } from "../support/protocol/providerClient";

const always = { operation: "getExport", after: 1, count: Number.POSITIVE_INFINITY } as const;

describe.each(Object.entries(hosts))(
  "a create that fails, which a newer engine tries again by an update, %s",
  (_, host) => {
    it("continues with its job at once, with no check, plan or read between", async () => {
      const platform = await testPlatform({ jobTime: 600_000 });
      const { client, urnOf, ownInputs } = await host(platform, { environment: { DOCS_PLATFORM_MAX_RETRIES: "0" } });
      const urn = urnOf("StaticExport", "site");
      const { inputs } = await client.check(urn, { ...ownInputs("StaticExport", "site"), domain: "docs.example.com" });
      platform.inject({ ...always, kind: "reset", count: 2 });
      const failed: unknown = await client.create(urn, inputs).catch((error) => error);
      const saved = failed instanceof ProviderError ? failed.saved : undefined;
      const jobId = String(platform.jobs.list()[0]?.jobId);
      expect(String(failed)).toContain(`Exists now: export job ${jobId}, last seen "running"`);
      expect(saved).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });

      const known = { id: jobId, inputs, outputs: { ...saved?.outputs } };
      const again: unknown = await client.update(urn, known, inputs).catch((error) => error);
      expect(again).toMatchObject({ saved: { id: jobId, outputs: { jobId } } });
      platform.jobs.complete(jobId);
      expect(await client.update(urn, known, inputs)).toMatchObject({ jobId, status: "completed" });
      expect(tally(requestsTo(platform))[start]).toBe(1);
      expect(platform.jobs.list()).toHaveLength(1);
    });
  },
);
