import type { CheckFailure } from "../../definitions/rules";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import { snakeCase } from "../../support/words";
import type { AttributeSchemas } from "./values";
import { type AttributePath, type Diagnostic, severity } from "./wire/messages";

export function errorDiagnostic(error: unknown, loudness: number = severity.error): Diagnostic {
  const [summary, ...lines] = asDocsPlatformError(error).message.split("\n");
  // Terraform treats a line that begins with a blank as code, and does not wrap the line.
  const detail = lines.map((line) => line.replace(/^ {2}(?! )/, "")).join("\n");
  return { severity: loudness, summary, detail };
}

export function failureDiagnostics(failures: readonly CheckFailure[], attributes: AttributeSchemas): Diagnostic[] {
  return failures.map(({ property, reason }) => {
    const [name, said] = [snakeCase(property), printable(reason)];
    return Object.hasOwn(attributes, name)
      ? {
          severity: severity.error,
          summary: `DOCS_CONFIGURATION: ${name}`,
          detail: `${name} ${said}`,
          attribute: attributePathOf(name),
        }
      : { severity: severity.error, summary: "DOCS_CONFIGURATION", detail: said };
  });
}

export function attributePathOf(attributeName: string): AttributePath {
  return { steps: [{ attributeName }] };
}
