import { expect, it } from "vitest";
import { anError, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { until } from "../../support/until";

const domain = "docs.example.com";

it("a start beyond the platform's limit is waited for, the row says so, and Ctrl-C ends the run at once: nothing was started, and the next run starts", async () => {
  const platform = await testPlatform({ startsPerHour: 1 });
  const authorization = `Bearer ${platform.apiKey}`;
  await fetch(`${platform.baseUrl}/v1/static-export/jobs`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ domain: "other.example.com" }),
  });
  const stack = await testStack(platform, { site: { domain } });
  const refused = () => platform.requests.filter(({ status }) => status === 429).length;

  const running = stack.start("up", "--yes", "--skip-preview");
  // The pauses begin with half a second and double each time. The last refusal asks for a minute, so that the run ends
  // in its pause, also on a busy machine.
  const headers = { "Retry-After": "60" };
  platform.inject({ operation: "startExport", kind: "status", status: 429, headers, after: 3 });
  await until(() => refused() === 4);
  running.interrupt();
  const { code, output, requests } = await running.ended;
  expect(code, output).toEqual(anError);
  expect(output).toMatch(/next try in \d+m?s.*: limit of starts reached, docs\.example\.com/);
  expect(output).toMatch(/DOCS_INTERRUPTED.*\n.*no export job of docs\.example\.com was started/);
  expect(tally(requests)).toEqual({ [start]: 4 });
  expect(await stack.state("site")).toBeUndefined();

  passHour(platform, stack);
  const next = await stack.up();
  expect(next.code, next.output).toBe(0);
  expect(tally(next.requests)[start]).toBe(1);
});
