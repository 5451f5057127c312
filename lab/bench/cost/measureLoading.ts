import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../../../tools/projectRoot";

/** The cost of loading this package into a program that already uses Pulumi's SDK. */
export interface LoadingCost {
  milliseconds: number;
  /** The list has `undici` and `zod` if the package has loaded them. */
  libraries: string[];
}

const script = `
  require("@pulumi/pulumi");
  const before = new Set(Object.keys(require.cache));
  const begin = performance.now();
  require("pulumi-docs-platform");
  const milliseconds = performance.now() - begin;
  const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
  const names = loaded.map((file) => /node_modules\\/(undici|zod)\\//.exec(file)?.[1]);
  const libraries = [...new Set(names)].filter((name) => name !== undefined);
  process.stdout.write(JSON.stringify({ milliseconds, libraries }));
`;

export function measureLoading(): LoadingCost {
  const cwd = join(projectRoot, "lab", "bench", "cost", "program");
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd, encoding: "utf8" }));
}
