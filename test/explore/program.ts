import type { RawValues } from "../../provider/definitions/values";
import { resources } from "../../provider/resources/index";

export interface DeclaredResource {
  name: string;
  kind: "StaticExport" | "ExportBundle" | "AgentMessage";
  /** The name of the export whose job this resource uses. The program declares the export before the resource. */
  of?: string;
  /** The option `retainOnDelete`: a deletion removes the resource from the state without a call to the provider. */
  retained?: boolean;
}

export interface Command {
  kind: "up" | "destroy" | "refresh";
  /** `--replace`. A taint has the same effect on the provider. */
  replace?: readonly string[];
  /** `--target`: the only resources to change. */
  targets?: readonly string[];
  /** `up --refresh`. */
  refreshes?: boolean;
  /** Additional inputs, by resource name. */
  inputs?: Readonly<Record<string, RawValues>> | undefined;
  /** True if the command runs on a new machine. */
  elsewhere?: boolean;
}

export const oneExport: readonly DeclaredResource[] = [{ name: "site", kind: "StaticExport" }];

/** True if the resource's creation sends a start or a message. */
export function starts({ kind }: DeclaredResource): boolean {
  return kind === "StaticExport" || kind === "AgentMessage";
}

export function isTargeted({ targets }: Command, { name }: DeclaredResource): boolean {
  return targets === undefined || targets.includes(name);
}

export function isReplaced({ replace = [] }: Command, name: string): boolean {
  return replace.includes(name);
}

/** @param jobId the job that a bundle uses. */
export function inputsOf({ kind }: DeclaredResource, jobId: unknown): RawValues {
  switch (kind) {
    case "StaticExport":
      return { domain: "a.test" };
    case "ExportBundle":
      return { jobId };
    default:
      return { jobId: "agent-1", projectId: "docs", prompt: "Go on." };
  }
}

export function definitionOf({ kind }: DeclaredResource) {
  const definition = resources[kind];
  if (definition === undefined) {
    throw new Error(`there is no ${kind}`);
  }
  return definition;
}
