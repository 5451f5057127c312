import type { Fault, FaultKind } from "../faults/fault";
import { platformOperations } from "../requests/operation";
import { parseMilliseconds, UsageError } from "./help";

const pauses = ["delay", "lateAnswer"] as const;
const plainKinds = ["reset", "lostAnswer", "hang", "brokenBody", "truncate"] as const;

/** Reads the value of `--fault`: `<operation>:<kind>[:<count>]`. */
export function parseFault(text: string): Fault {
  const [name = "", kind = "", count = "1", ...rest] = text.split(":");
  const operation = platformOperations.find((known) => known === name);
  if (operation === undefined) {
    throw wrong(text, `its operation is one of ${platformOperations.join(", ")}`);
  }
  if (!/^[1-9]\d*$/.test(count) || rest.length > 0) {
    throw wrong(text, "its count is a whole number from 1");
  }
  return { operation, count: Number(count), ...parseKind(kind, text) };
}

function parseKind(kind: string, text: string): FaultKind {
  if (/^[2-5]\d\d$/.test(kind)) {
    return { kind: "status", status: Number(kind) };
  }
  const plain = plainKinds.find((known) => known === kind);
  if (plain !== undefined) {
    return { kind: plain };
  }
  const pause = pauses.find((known) => kind.startsWith(`${known}=`));
  const ms = pause === undefined ? undefined : parseMilliseconds(kind.slice(pause.length + 1));
  if (pause === undefined || ms === undefined) {
    const kinds = [...plainKinds, ...pauses.map((known) => `${known}=<duration>`)];
    throw wrong(text, `its kind is a status (200 to 599), ${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`);
  }
  return { kind: pause, ms };
}

function wrong(text: string, rule: string): UsageError {
  return new UsageError(`--fault ${text}: ${rule}`);
}
