import type { CheckFailure } from "../../definitions/rules";
import type { Properties } from "../../engine/secrets";
import { withCode } from "../pulumi/checkFailures";
import type { Response } from "./messages";
import { writeProperties } from "./properties";

export function checkResponse(inputs: Properties, failures: readonly CheckFailure[]): Response<"Check"> {
  return { inputs: writeProperties(inputs.values, inputs.secrets), failures: failures.map(withCode) };
}
