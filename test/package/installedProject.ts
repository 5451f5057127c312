import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Platform } from "../../simulator/index";
import { pulumiEnvironment } from "../../tools/engines/pulumiDriver";
import { type EndedProcess, startProcess } from "../../tools/processes/startProcess";
import { projectRoot } from "../../tools/projectRoot";

/** Each package manager creates a different layout of node_modules. */
export const managers = {
  npm: ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"],
  pnpm: ["npx", "-y", "pnpm@9", "install", "--prefer-offline"],
  yarn: ["npx", "-y", "yarn@1.22.22", "install", "--prefer-offline", "--no-lockfile"],
} as const;

const resources = `const parent = new ComponentResource("example:index:Docs", "docs");
const site = new StaticExport("site", { domain: "docs.example.com" }, { parent });
const bundle = new ExportBundle("bundle", { jobId: site.jobId }, { parent });
`;
const imports = `import { ComponentResource } from "@pulumi/pulumi";
import { ExportBundle, StaticExport } from "pulumi-docs-platform";
`;

/** The program in each language: its file's name, its text, and fields for package.json. */
export const programs = {
  typescript: ["index.ts", `${imports}${resources}export const version = bundle.version;\n`, {}],
  commonjs: [
    "index.js",
    `const { ComponentResource } = require("@pulumi/pulumi");
const { ExportBundle, StaticExport } = require("pulumi-docs-platform");
${resources}exports.version = bundle.version;
`,
    {},
  ],
  esm: ["index.js", `${imports}${resources}export const version = bundle.version;\n`, { type: "module" }],
} as const;

export async function pack(folder: string): Promise<string> {
  const { code, output } = await run(
    ["npm", "pack", "--ignore-scripts", "--pack-destination", folder],
    projectRoot,
    {},
  );
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (code !== 0 || name === undefined) {
    throw new Error(output);
  }
  return join(folder, name);
}

/** A user's project, in which this package is installed from its tarball. */
export class InstalledProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "installed-")));

  constructor(
    private readonly platform: Platform,
    private readonly tarball: string,
  ) {
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: installed\nruntime: nodejs\n");
  }

  install(manager: keyof typeof managers, others: Record<string, string>, more: object = {}): Promise<EndedProcess> {
    const dependencies = { "pulumi-docs-platform": `file:${this.tarball}`, "@pulumi/pulumi": "3.270.0", ...others };
    this.write("package.json", JSON.stringify({ name: "installed", private: true, dependencies, ...more }));
    return run(managers[manager], this.folder, {});
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs a command and waits for its end. By default, this process's Node.js comes first on PATH. */
  async command(command: readonly string[], node?: string): Promise<EndedProcess> {
    return (await this.start(command, node)).ended;
  }

  async start(command: readonly string[], node = dirname(process.execPath)): Promise<Started> {
    const environment = await pulumiEnvironment(this.folder);
    return start(command, this.folder, {
      ...environment,
      PATH: [node, environment.PATH].join(delimiter),
      DOCS_PLATFORM_BASE_URL: this.platform.baseUrl,
      DOCS_PLATFORM_API_KEY: this.platform.apiKey,
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Started = ReturnType<typeof startProcess>;

function start([file = "", ...args]: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): Started {
  const { NODE_OPTIONS: _, VITEST: __, npm_config_local_prefix: ___, ...inherited } = process.env;
  return startProcess(file, args, { cwd, env: { ...inherited, INIT_CWD: cwd, ...environment } });
}

function run(command: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): Promise<EndedProcess> {
  return start(command, cwd, environment).ended;
}
