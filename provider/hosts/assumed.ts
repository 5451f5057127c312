import type { Decision } from "../resources/lifecycle";
import { engineLog } from "./engineLog";

/** Neither protocol of the engine has a "perhaps": where a preview may say less than the run does, a warning says so. */
export function warnOfAssumed(urn: string | undefined, { assumed = [] }: Decision): void {
  if (assumed.length > 0) {
    engineLog.warn(
      urn,
      `${assumed.join(" and ")}: not known yet, and taken for unchanged in this preview. If the value changes, the run replaces this resource.`,
    );
  }
}
