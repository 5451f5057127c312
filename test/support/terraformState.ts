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

/**
 * Reads a state file of Terraform. A missing file, or a file that a killed run left empty, counts as an empty state.
 */
export function readState(file: string): Required<SavedState> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return { outputs: {}, resources: [], ...(text === "" ? {} : JSON.parse(text)) };
}
