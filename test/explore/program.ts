import type { RawValues } from "../../provider/definitions/values";
import { resources } from "../../provider/resources/index";

/** The declaration of one resource in a program. */
export interface DeclaredResource {
  name: string;
  kind: "StaticExport" | "ExportBundle" | "AgentMessage";
  /** The export with the job that this resource uses. It comes earlier in the program. */
  of?: string;
  /** `retainOnDelete`: the resource leaves the state without a call of the provider. */
  retained?: boolean;
}

/** A command of a person to the engine. */
export interface Command {
  kind: "up" | "destroy" | "refresh";
  /** The resources of `--replace`. For the provider, a taint is the same. */
  replace?: readonly string[];
  /** The resources of `--target`: the engine changes no other resource. */
  targets?: readonly string[];
  /** `up --refresh`. */
  refreshes?: boolean;
  /** Inputs beside those of the program, by the name of the resource. */
  inputs?: Readonly<Record<string, RawValues>> | undefined;
  /** True if the run is on another machine. */
  elsewhere?: boolean;
}

export const oneExport: readonly DeclaredResource[] = [{ name: "site", kind: "StaticExport" }];

/** Returns whether the resource starts something that may not be started twice. */
export function starts({ kind }: DeclaredResource): boolean {
  return kind === "StaticExport" || kind === "AgentMessage";
}

export function isTargeted({ targets }: Command, { name }: DeclaredResource): boolean {
  return targets === undefined || targets.includes(name);
}

export function isReplaced({ replace = [] }: Command, name: string): boolean {
  return replace.includes(name);
}

/** The inputs of the program together with those of the command. */
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
