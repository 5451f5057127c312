import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";

export const chart = join(projectRoot, "charts", "docs-site");

/** The time limit, in milliseconds, of a hook that may wait for other builds and then build a tool. */
export const toolTime = 40 * 60_000;

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [field: string]: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it, and fail where it has another shape
  [field: string]: any;
}

export interface HelmRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

const versions = { "Helm 4": () => getTool("helm"), "Helm 3": () => getTool("helm3") };

export type HelmVersion = keyof typeof versions;

let built: Promise<string> | undefined;

/** The first call builds Helm if needed. */
export function helmExecutable(): Promise<string> {
  return built ?? useHelm("Helm 4");
}

/** Makes {@link helm} run this version. Returns the program's path. */
export function useHelm(version: HelmVersion): Promise<string> {
  built = versions[version]();
  return built;
}

/**
 * Runs Helm without the user's own configuration. Helm reads the values from standard input, because they may contain a
 * link.
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

export async function rendered(values: unknown, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await helm(["template", "docs", chart, ...flags], values);
  if (code !== 0) {
    throw new Error(stderr);
  }
  return stdout;
}

export async function manifests(values: unknown): Promise<KubernetesObject[]> {
  return objectsIn(await rendered(values));
}

export function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Throws unless there is exactly one object of the kind. */
export function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) {
    throw new Error(`not one ${kind} among ${objects.map((object) => object.kind).join(", ")}`);
  }
  return found;
}
