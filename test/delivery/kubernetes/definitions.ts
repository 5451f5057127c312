import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { projectRoot } from "../../../tools/projectRoot";
import type { ControlPlane } from "../../../tools/servers/controlPlane";
import { pinnedVersion } from "../../../tools/toolchain/pins";
import type { KubernetesObject } from "../chart/helm";

/** Returns the folder of a pinned Go module. */
export async function moduleFolder(pinned: { pins: string; module: string }): Promise<string> {
  const module = `${pinned.module}@v${pinnedVersion(pinned)}`;
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
  return JSON.parse(stdout).Dir;
}

/**
 * Registers a controller's CRDs at the API server.
 * @param files the paths of the files. Each file contains one CRD.
 */
export async function registerDefinitions(plane: ControlPlane, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const definition = parse(readFileSync(file, "utf8"));
    await plane.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
}

/** Returns the paths of a module's CRD files. The code generators of Kubernetes write such files to this folder. */
export async function definitionsOf(pinned: { pins: string; module: string }): Promise<string[]> {
  const folder = join(await moduleFolder(pinned), "config", "crd", "bases");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => join(folder, name));
}

/**
 * Parses the objects in a file of the examples.
 * @param change changes the text before it is parsed.
 */
export function manifestsIn(name: string, change = (text: string) => text): KubernetesObject[] {
  const text = change(readFileSync(join(projectRoot, "examples", name), "utf8"));
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Makes the API server validate an object strictly, in the namespace `docs`. The server stores nothing. */
export function dryRun(
  plane: ControlPlane,
  object: KubernetesObject,
  plural = `${object.kind.toLowerCase().replace(/ss$/, "sse")}s`,
): Promise<KubernetesObject> {
  const { apiVersion, metadata } = object;
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const path = `${group}/namespaces/docs/${plural}?dryRun=All&fieldValidation=Strict`;
  return plane.ask("POST", path, { ...object, metadata: { ...metadata, name: "other", namespace: "docs" } });
}
