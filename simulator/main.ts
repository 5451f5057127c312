import { help, UsageError } from "./command/help";
import { readCommandLine } from "./command/readCommandLine";
import { startPlatform } from "./platform";
import { buildOpenApiDocument } from "./routes/openApiDocument";
import { projectExportRouteTemplates } from "./routes/projectExportRoutes";

async function main(): Promise<void> {
  const options = readCommandLine(process.argv.slice(2));
  if (options === "help") {
    process.stdout.write(help);
    return;
  }
  if (options === "openapi") {
    process.stdout.write(`${JSON.stringify(buildOpenApiDocument(), undefined, 2)}\n`);
    return;
  }
  const platform = await startPlatform({ ...options, log: (line) => console.log(line) });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => process.exit(0));
  }
  console.log(`export DOCS_PLATFORM_BASE_URL=${platform.baseUrl}`);
  console.log(`export DOCS_PLATFORM_API_KEY=${shellWord(platform.apiKey)}`);
  if (options.form === "record") {
    console.log("export DOCS_PLATFORM_PROJECT_ID=docs");
    console.log(`export DOCS_PLATFORM_ROUTES=${shellWord(JSON.stringify(projectExportRouteTemplates))}`);
  }
  for (const { projectId, id, status } of platform.agents.list()) {
    console.log(`# agent job ${id} of project ${projectId}: ${status}`);
  }
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

main().catch((error: unknown) => {
  const usage = error instanceof UsageError || error instanceof RangeError;
  const message = error instanceof Error ? error.message : String(error);
  console.error(usage ? `${message}\nSee --help for the flags.` : message);
  process.exitCode = usage ? 2 : 1;
});
