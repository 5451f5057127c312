import { expect, it } from "vitest";
import { connect } from "../../../../provider/platform/connect";
import { apiKey, assumedAgentJobPath, goodBody, never, noJournal, noTls } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

it("all resources of one process share a client as long as the settings are the same", async () => {
  const server = await serve(answer(200, goodBody));
  const settings = {
    apiKey,
    baseUrl: server.url,
    origin: server.url,
    requestTimeout: 5_000,
    maxRetries: 0,
    maxRequestsPerSecond: undefined,
    projectId: undefined,
    agentJobPath: assumedAgentJobPath,
    journal: noJournal,
    linkHosts: undefined,
    tls: noTls,
    headers: [],
  };
  const first = await connect(settings);
  expect(await connect({ ...settings })).toBe(first);
  expect(await connect({ ...settings, apiKey: "svc_rotated" })).not.toBe(first);
  expect(await connect({ ...settings, agentJobPath: "/jobs/{id}" })).not.toBe(first);
  await expect(first.getExport("job-1", { signal: never })).resolves.toMatchObject({ status: "running" });
  expect(server.requests).toHaveLength(1);
});
