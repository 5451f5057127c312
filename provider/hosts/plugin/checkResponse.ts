import { CheckFailure, CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Properties } from "../../engine/secrets";
import type { CheckFailure as Failure } from "../../resources/lifecycle";
import { withCode } from "../pulumi/checkFailures";
import { writeProperties } from "./properties";

export function checkResponse(inputs: Properties, failures: readonly Failure[]): CheckResponse {
  const response = new CheckResponse().setInputs(writeProperties(inputs.values, inputs.secrets));
  return response.setFailuresList(failureList(failures));
}

export function failureList(failures: readonly Failure[]): CheckFailure[] {
  return failures
    .map(withCode)
    .map(({ property, reason }) => new CheckFailure().setProperty(property).setReason(reason));
}
