import { expect, it } from "vitest";
import { connect } from "../../../../provider/platform/connect";
import { goodBody, never, testSettings } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

it("all resources of one process share a client as long as the settings are the same", async () => {
  const server = await serve(answer(200, goodBody));
  const settings = testSettings(server.url);
  const first = await connect(settings);
  expect(await connect({ ...settings })).toBe(first);
  expect(await connect({ ...settings, apiKey: "svc_rotated" })).not.toBe(first);
  expect(await connect({ ...settings, routes: { getAgentJob: "/jobs/{id}" } })).not.toBe(first);
  await expect(first.getExport("job-1", { signal: never })).resolves.toMatchObject({ status: "running" });
  expect(server.requests).toHaveLength(1);
});
