import { join } from "node:path";
import { expect, it } from "vitest";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { requireTool } from "../../support/requireTool";
import { terraformPlatform } from "../../support/terraformStack";

it.skipIf(!requireTool("terraform"))(
  "npm start -- --terraform runs the quickstart through terraform apply",
  async () => {
    const platform = await terraformPlatform({ linkLife: 600_000 });
    const { code, output } = await startProcess(
      process.execPath,
      ["--import", "tsx", join("tools", "start", "main.ts"), "--terraform"],
      {
        cwd: projectRoot,
        env: {
          ...process.env,
          DOCS_PLATFORM_BASE_URL: platform.baseUrl,
          DOCS_PLATFORM_API_KEY: platform.apiKey,
          DOCS_PLATFORM_DOMAIN: "docs.example.org",
        },
      },
    ).ended;
    expect(code, output).toBe(0);
    expect(platform).toMatchObject({ starts: 1, counts: { startExport: 1, createBundle: 1, download: 1 } });
    expect(platform.jobs.list()[0]?.domain).toBe("docs.example.org");
    expect(output).toMatch(/ 0 .*terraform apply again: nothing changed/);
    expect(output).toContain("Helm values (mode 600): enabled true");
  },
);
