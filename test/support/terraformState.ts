import { existsSync, readFileSync } from "node:fs";

export interface StateEntry {
  mode: string;
  type: string;
  name: string;
  instances: {
    attributes: Record<string, unknown>;
    status?: string;
    deposed?: string;
    index_key?: number | string;
  }[];
}

interface SavedState {
  outputs?: Record<string, { value: unknown } | undefined>;
  resources?: StateEntry[];
}

/** Reads a Terraform state file. If the file is missing, or a killed run left it empty, returns an empty state. */
export function readState(file: string): Required<SavedState> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return { outputs: {}, resources: [], ...(text === "" ? {} : JSON.parse(text)) };
}
