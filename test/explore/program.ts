import type { RawValues } from "../../provider/definitions/values";
import { resources } from "../../provider/resources/index";

/** What a program says of one resource. */
export interface Declared {
  name: string;
  kind: "StaticExport" | "ExportBundle" | "AgentMessage" | "BundleMirror";
  /** What the program gives beside what it always gives. */
  inputs?: RawValues;
  /** The export whose job it takes; that one stands before it in the program. */
  of?: string;
  /** `retainOnDelete`: it leaves the state, and the provider is not called. */
  retained?: boolean;
  /** `deletedWith`: the provider is not called where this other one goes in the same run. */
  deletedWith?: string;
}

/** What a person asks of the engine. */
export interface Command {
  kind: "up" | "destroy" | "refresh";
  /** `--replace` of these resources. A taint asks the same of the provider. */
  replace?: readonly string[];
  /** `--target`: the engine leaves every other resource alone. */
  targets?: readonly string[];
  /** `up --refresh`. */
  refreshes?: boolean;
  /** Inputs beside those of the program, by the name of the resource. */
  inputs?: Readonly<Record<string, RawValues>> | undefined;
  notStarted?: readonly string[];
  /** The run takes place on another machine. */
  elsewhere?: boolean;
}

export const oneExport: readonly Declared[] = [{ name: "site", kind: "StaticExport" }];

/** Whether the resource starts something that may not be started twice. */
export function starts({ kind }: Declared): boolean {
  return kind === "StaticExport" || kind === "AgentMessage";
}

export function isTargeted({ targets }: Command, { name }: Declared): boolean {
  return targets === undefined || targets.includes(name);
}

export function isReplaced({ replace = [] }: Command, name: string): boolean {
  return replace.includes(name);
}

/** What the program gives beside what the command gives. */
export function inputsOf({ kind, inputs }: Declared, jobId: unknown): RawValues {
  switch (kind) {
    case "StaticExport":
      return { domain: "a.test" };
    case "ExportBundle":
      return { jobId };
    case "BundleMirror":
      return { jobId: "theirs-1", ...inputs };
    default:
      return { jobId: "agent-1", projectId: "docs", prompt: "Go on." };
  }
}

export function definitionOf({ kind }: Declared) {
  const definition = resources[kind];
  if (definition === undefined) {
    throw new Error(`there is no ${kind}`);
  }
  return definition;
}
