import { readFileSync } from "node:fs";

/** What an event log of the engine tells of a run. */
export interface Events {
  /** The last error that names a resource, else the last error of all, without colours. */
  lastError: string | undefined;
}

interface LoggedEvent {
  diagnosticEvent?: { severity: string; message: string; urn?: string };
}

export function readEvents(file: string): Events {
  const errors = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): LoggedEvent => JSON.parse(line))
    .flatMap(({ diagnosticEvent }) => (diagnosticEvent?.severity === "error" ? [diagnosticEvent] : []));
  const ofResource = errors.filter(({ urn }) => urn && !urn.includes("pulumi:pulumi:Stack"));
  return { lastError: (ofResource.at(-1) ?? errors.at(-1))?.message.trim() };
}
