import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineStack, Reached } from "../../support/engineStack";
import { testStack } from "../../support/engineTest";
import { outputsOf, reference, writeProject, yaml } from "./hosts";

export interface YamlProgram {
  resources?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  configuration?: Record<string, unknown>;
}

export const yamlSiteAndBundle: YamlProgram = {
  resources: {
    site: { type: "docs-platform:StaticExport", properties: { domain: "docs.example.com" } },
    bundle: { type: "docs-platform:ExportBundle", properties: { jobId: reference("site", "jobId") } },
  },
  outputs: { ...outputsOf("site", ["jobId"]), ...outputsOf("bundle", ["version", "bundleUrl", "expiresAt"]) },
};

export async function yamlStack(platform: Reached, program: YamlProgram = yamlSiteAndBundle): Promise<EngineStack> {
  const stack = await testStack(platform, {});
  await yaml.prepare(stack);
  writeProject(stack, "yaml", program);
  return stack;
}

export function yamlProject(program: YamlProgram): string {
  return JSON.stringify({ name: "lifecycle", runtime: "yaml", ...program });
}

export function writeYaml(stack: EngineStack, program: YamlProgram): void {
  writeFileSync(join(stack.folder, "Pulumi.yaml"), yamlProject(program));
}
