import type { CheckFailure } from "../../definitions/rules";

/** As the engine shows it, in one line after the name of the resource: with the code by which a person finds the page. */
export function withCode({ property, reason }: CheckFailure): CheckFailure {
  return { property, reason: `DOCS_CONFIGURATION: ${reason}` };
}
