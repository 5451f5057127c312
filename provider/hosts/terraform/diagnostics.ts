import type { CheckFailure } from "../../definitions/rules";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import type { AttributeSchemas } from "./values";
import { type AttributePath, type Diagnostic, severity } from "./wire/messages";

/**
 * Returns an error as Terraform shows it: the first line is the summary; below it stand what exists, what the next run
 * does, and what to do.
 */
export function errorDiagnostic(error: unknown): Diagnostic {
  return messageDiagnostic(asDocsPlatformError(error).message);
}

/** Returns the message of an error in that form. */
export function messageDiagnostic(message: string): Diagnostic {
  const [summary, ...lines] = message.split("\n");
  // Terraform does not wrap a line that begins with a blank: it takes the line for code.
  const detail = lines.map((line) => line.replace(/^ {2}(?! )/, "")).join("\n");
  return { severity: severity.error, summary, detail };
}

export function failureDiagnostics(failures: readonly CheckFailure[], attributes: AttributeSchemas): Diagnostic[] {
  return failures.map(({ property, reason }) => {
    const name = Object.keys(attributes).find((each) => attributes[each]?.property === property);
    const said = printable(reason);
    return name === undefined
      ? { severity: severity.error, summary: "DOCS_CONFIGURATION", detail: said }
      : {
          severity: severity.error,
          summary: `DOCS_CONFIGURATION: ${name}`,
          detail: `${name} ${said}`,
          attribute: attributePathOf(name),
        };
  });
}

export function attributePathOf(attributeName: string): AttributePath {
  return { steps: [{ attributeName }] };
}
