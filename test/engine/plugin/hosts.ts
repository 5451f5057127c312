import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";
import type { EngineStack, Run } from "../../support/engineStack";

/** The resources of a test program, with the argument names of the schema and the option names of YAML. */
export interface Program {
  site?: Record<string, unknown>;
  bundle?: Record<string, unknown>;
  copy?: Record<string, unknown>;
}

/** A way to run the same program: with one host of the provider, in one language. */
export interface ProgramHost {
  name: string;
  prepare(stack: EngineStack): Promise<void>;
  declare(stack: EngineStack, program: Program): void;
  /** Imports an existing job as the resource with the name `site`. */
  importJob(stack: EngineStack, jobId: string, domain: string): Promise<Run>;
}

const plugins = { providers: [{ name: "docs-platform", path: "./plugin" }] };

export const dynamicNode: ProgramHost = {
  name: "dynamic, Node",
  async prepare() {},
  declare: (stack, program) => stack.declare(program),
  async importJob(stack, jobId, domain) {
    const __provider = 'exports.handler = () => require("pulumi-docs-platform/provider").StaticExport;';
    const __origin = stack.environment.DOCS_PLATFORM_BASE_URL;
    const outputs = { jobId, domain, status: "not seen yet", version: jobId, __adopted: true, __origin, __provider };
    const type = "pulumi-nodejs:dynamic/docs-platform:StaticExport";
    const resources = [{ type, name: "site", id: jobId, inputs: { domain, __provider }, outputs }];
    writeFileSync(join(stack.folder, "import.json"), JSON.stringify({ resources }));
    return stack.pulumi("import", "--file", "import.json", ...importFlags);
  },
};

const importFlags = ["--yes", "--skip-preview", "--protect=false", "--generate-code=false"];

export const importStaticExport = (stack: EngineStack, jobId: string) =>
  stack.pulumi("import", "docs-platform:index:StaticExport", "site", jobId, ...importFlags);

export const yaml: ProgramHost = {
  name: "plugin, YAML",
  async prepare(stack) {
    useFolder(stack, dirname(await getTool("pulumi-language-yaml")));
    removeNodeProgram(stack);
  },
  declare(stack, { site, bundle, copy }) {
    const jobId = site && { jobId: reference("site", "jobId") };
    writeProject(stack, "yaml", {
      resources: {
        ...(site && { site: { type: "docs-platform:StaticExport", properties: site } }),
        ...(bundle && { bundle: { type: "docs-platform:ExportBundle", properties: { ...jobId, ...bundle } } }),
        ...(copy && { copy: { type: "docs-platform:BundleMirror", properties: { ...jobId, ...copy } } }),
      },
      outputs: {
        ...(site && outputsOf("site", siteOutputs)),
        ...(bundle && outputsOf("bundle", bundleOutputs)),
      },
    });
  },
  importJob: importStaticExport,
};

const siteOutputs = ["jobId", "status", "pageCount", "startedAt", "completedAt"];
const bundleOutputs = ["bundleUrl", "expiresAt", "issuedAt", "version"];

export function outputsOf(resource: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reference(resource, name)]));
}

export function reference(resource: string, output?: string): string {
  return output === undefined ? `\${${resource}}` : `\${${resource}.${output}}`;
}

export function declareByFile(stack: EngineStack, { site, bundle }: Program): void {
  const declared = { ...(site && { site: { args: site } }), ...(bundle && { bundle: { args: bundle } }) };
  writeFileSync(join(stack.folder, "resources.json"), JSON.stringify(declared));
}

export function useFolder(stack: EngineStack, folder: string): void {
  stack.environment.PATH = `${folder}${delimiter}${stack.environment.PATH}`;
}

export function removeNodeProgram(stack: EngineStack): void {
  for (const name of ["node_modules", "index.js", "outputs.js", "package.json"]) {
    rmSync(join(stack.folder, name), { recursive: true, force: true });
  }
}

/**
 * Writes a project file with a path to the plugin. The path is a link in the stack's folder. So a language host writes
 * the schema beside the link, and not beside the real plugin.
 */
export function writeProject(stack: EngineStack, runtime: unknown, program: object = {}): void {
  const link = join(stack.folder, "plugin");
  if (!existsSync(link)) {
    symlinkSync(join(projectRoot, "plugin"), link);
  }
  const project = { name: "lifecycle", runtime, plugins, ...program };
  writeFileSync(join(stack.folder, "Pulumi.yaml"), JSON.stringify(project));
}
