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

export async function moduleFolder(pinned: { pins: string; module: string }): Promise<string> {
  const module = `${pinned.module}@v${pinnedVersion(pinned)}`;
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
  return JSON.parse(stdout).Dir;
}

/** @param files each contains one CRD. */
export async function registerDefinitions(plane: ControlPlane, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const definition = parse(readFileSync(file, "utf8"));
    await plane.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
}

/** Returns the paths of the CRD files in a Go module. */
export async function definitionsOf(pinned: { pins: string; module: string }): Promise<string[]> {
  const folder = join(await moduleFolder(pinned), "config", "crd", "bases");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => join(folder, name));
}

/** Parses the objects in an example. `change` may change the text first. */
export function manifestsIn(name: string, change = (text: string) => text): KubernetesObject[] {
  const text = change(readFileSync(join(projectRoot, "examples", name), "utf8"));
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** The API server validates the object strictly, and stores nothing. */
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
