import type { Properties } from "../../engine/secrets";
import type { CheckFailure } from "../../resources/lifecycle";
import { withCode } from "../pulumi/checkFailures";
import type { Response } from "./messages";
import { writeProperties } from "./properties";

export function checkResponse(inputs: Properties, failures: readonly CheckFailure[]): Response<"Check"> {
  return { inputs: writeProperties(inputs.values, inputs.secrets), failures: failures.map(withCode) };
}
