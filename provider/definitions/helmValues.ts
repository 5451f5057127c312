import type { HelmValues } from "../../sdk/helmValues";
import type { PlainHelmValuesArgs } from "../../sdk/plainHelmValues";
import { ArgumentError, defineFunction } from "./definition";
import { booleanRule, objectOf, text } from "./rules";

export const helmValues = defineFunction<PlainHelmValuesArgs, HelmValues>({
  name: "helmValues",
  inputs: {
    bundle: { rule: objectOf({ bundleUrl: { rule: text, required: true }, version: { rule: text, required: true } }) },
    mirror: {
      rule: objectOf<NonNullable<PlainHelmValuesArgs["mirror"]>>({
        url: { rule: text, required: true },
        version: { rule: text, required: true },
        layout: { rule: text },
      }),
    },
    enabled: { rule: booleanRule, default: true },
    version: { rule: text },
  },
  async call(args) {
    const { plainHelmValues } = await import("../../sdk/plainHelmValues.js");
    try {
      return plainHelmValues(args);
    } catch (error) {
      throw new ArgumentError(error);
    }
  },
});
