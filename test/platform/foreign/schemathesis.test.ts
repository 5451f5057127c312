import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildOpenApiDocument } from "../../../simulator/routes/openApiDocument";
import { runModule } from "../../../tools/processes/runTool";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign, variant } from "../../support/campaign";
import { requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { platformUnderTest, runSchemathesis, type SchemathesisRun } from "./schemathesisRun";

const timeLimit = 4 * 60_000;

/** A failing test shows Schemathesis' message. */
function expectNothingFound({ clean, output, report }: SchemathesisRun): void {
  expect(report.failures, output).toEqual([]);
  expect(report.errors, output).toEqual([]);
  // A warning names a part of the API that was not tested, so it counts as a failure.
  const warnings = Object.entries(report.warnings).filter(([, operations]) => operations.length > 0);
  expect(warnings, output).toEqual([]);
  expect(clean, output).toBe(true);
  expect(report.complete, output).toBe(true);
  const phases = Object.entries(report.phases).map(([phase, { status }]) => `${phase} ${status}`);
  expect(phases).toEqual(["examples success", "coverage success", "fuzzing success", "stateful success"]);
  expect(report.operations).toMatchObject({ total: 5, tested: 5 });
}

describe.skipIf(!requireTool("python3"))("with python3, a foreign tester", () => {
  let python = "";

  beforeAll(async () => {
    python = await getTool("schemathesis");
  }, 10 * 60_000);

  test("openapi-spec-validator: the document is valid OpenAPI 3.1", { timeout: timeLimit }, async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "openapi.json"), JSON.stringify(buildOpenApiDocument()));
    const validate = ["openapi_spec_validator", "--schema", "3.1.0", "openapi.json"];
    const outcome = await runModule(python, validate, { cwd, timeLimit: 60_000 });
    expect([outcome.ok, outcome.stdout.trim()], outcome.output).toEqual([true, "openapi.json: OK"]);
  });

  test("Schemathesis finds nothing in the platform, by all checks in all phases", { timeout: timeLimit }, async () => {
    const maxExamples = campaign ? 400 : 15;
    const platform = await platformUnderTest();
    const run = await runSchemathesis(python, platform, maxExamples, timeLimit - 30_000);
    console.log(`Schemathesis\n${run.summary}`);
    expectNothingFound(run);
    // These numbers show that requests also had a good key, a valid body and an existing job.
    expect(run.report.test_cases.generated).toBeGreaterThan(5 * maxExamples);
    const statuses = new Set(platform.requests.map(({ status }) => status));
    for (const status of [200, 201, 400, 401, 404, 405, 409, 415, 429]) {
      expect(statuses).toContain(status);
    }
  });

  variant(
    "Schemathesis notices what is wrong on purpose",
    async () => {
      const always = { count: Number.POSITIVE_INFINITY };
      const platform = await platformUnderTest();
      platform.inject({ operation: "getExport", kind: "status", status: 500, ...always });
      platform.inject({ operation: "createBundle", kind: "status", status: 418, ...always });
      platform.inject({ operation: "getAgentJob", kind: "body", body: { id: 7 }, ...always });
      const run = await runSchemathesis(python, platform, 5, timeLimit - 30_000);
      expect(run.clean).toBe(false);
      const found = run.report.failures.flatMap(({ code, operations }) =>
        operations.map((label) => `${code} ${label}`),
      );
      expect(found, run.output).toEqual(
        expect.arrayContaining([
          "ST101 GET /v1/static-export/jobs/{jobId}", // server error
          "ST103 POST /v1/static-export/jobs/{jobId}/bundle", // undocumented status code
          "ST108 GET /v2/agent/{projectId}/job/{id}", // response violates schema
        ]),
      );
      // The platform checks the key before it injects a fault, so a request without the key gets 401. ST401 would
      // report that the key is not checked.
      expect(found.filter((failure) => failure.startsWith("ST401"))).toEqual([]);
    },
    timeLimit,
  );
});
