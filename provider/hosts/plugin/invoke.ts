import { type InvokeRequest, InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { given, validate } from "../../resources/validation";
import { failureList } from "./checkResponse";
import { functionTable } from "./functionTable";
import { readProperties, writeProperties } from "./properties";
import { badRequest } from "./rpcError";
import type { Session } from "./sessions";

/**
 * Answers the call of a function. The result is secret where an argument was sent as secret, and never else: the SDKs that
 * send none so know themselves what was secret, and some refuse a result that is.
 */
export async function invoke(request: InvokeRequest, session: Session): Promise<InvokeResponse> {
  const token = request.getTok();
  const called = functionTable[token.replace(/^docs-platform:index:/, "")];
  if (called === undefined) {
    throw badRequest(`there is no function ${token}; there are ${Object.keys(functionTable).join(", ")}`);
  }
  const { values, secrets } = readProperties(request.getArgs());
  const args = given(values);
  const response = new InvokeResponse();
  const failures = validate(args, called.rules, called.required, "this function");
  if (failures.length > 0) {
    return response.setFailuresList(failureList(failures));
  }
  const result = await called.call(args, session);
  const names = secrets.size > 0 ? Object.keys(result) : [];
  return response.setReturn(writeProperties({ ...result }, new Set(names)));
}
