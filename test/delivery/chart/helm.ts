import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";

/** The chart of this project. */
export const chart = join(projectRoot, "examples", "helm", "chart");

/** A hook that asks for a tool may have to build it, after the builds that others have asked for. */
export const toolTime = 40 * 60_000;

/** Any object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [field: string]: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it, and fail where it has another shape
  [field: string]: any;
}

/** How a command of Helm ended. */
export interface HelmRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

let built: Promise<string> | undefined;

/** The pinned Helm; built where it must be, and looked at once. */
export function helmExecutable(): Promise<string> {
  built ??= getTool("helm");
  return built;
}

/**
 * Runs Helm. What a user has set up for it is not read.
 * @param values on its standard input, since they may hold a link; undefined for a command that takes none.
 */
export async function helm(args: readonly string[], values?: unknown, kubeconfig = "none"): Promise<HelmRun> {
  const home = mkdtempSync(join(tmpdir(), "helm-"));
  try {
    const child = spawn(await helmExecutable(), [...args, ...(values === undefined ? [] : ["--values", "-"])], {
      cwd: home,
      env: {
        HOME: home,
        PATH: process.env.PATH,
        KUBECONFIG: kubeconfig,
        ...Object.fromEntries(["CACHE", "CONFIG", "DATA"].map((name) => [`HELM_${name}_HOME`, join(home, name)])),
      },
      stdio: "pipe",
    });
    child.stdin.end(JSON.stringify(values));
    const ended = once(child, "close");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    return { code, stdout, stderr };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * What `helm template` writes for a release named docs.
 *
 * @throws Error with Helm's words, where it refuses.
 */
export async function rendered(values: unknown, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await helm(["template", "docs", chart, ...flags], values);
  if (code !== 0) {
    throw new Error(stderr);
  }
  return stdout;
}

/** The same, as objects. */
export async function manifests(values: unknown): Promise<Manifest[]> {
  return parseAllDocuments(await rendered(values)).map((document) => document.toJS());
}

/** The one object of its kind. */
export function only(objects: readonly Manifest[], kind: string): Manifest {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) {
    throw new Error(`not one ${kind} among ${objects.map((object) => object.kind).join(", ")}`);
  }
  return found;
}
