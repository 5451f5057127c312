import type { HelmValues, PlainHelmValuesArgs } from "../../sdk/plainHelmValues";
import { unknown } from "../resources/lifecycle";
import { ArgumentError, defineFunction } from "./definition";
import { booleanRule, objectOf, type Rule, text } from "./rules";

/**
 * A resource reaches a function as its id, and in a preview not at all. Its outputs cannot be added for it: a result that holds
 * a link must be secret, and of the SDKs only those that know an argument to be secret keep it so.
 */
const byOutputs = "give the outputs of the resource one by one, such as bundleUrl and version of a bundle";

function notAResource<T>(rule: Rule<T>): Rule<T> {
  const refusing = (value: unknown) => (typeof value === "string" ? `must be an object: ${byOutputs}` : rule(value));
  return Object.assign(refusing, { members: rule.members ?? [] });
}

export const helmValues = defineFunction<PlainHelmValuesArgs, HelmValues>({
  name: "helmValues",
  inputs: {
    bundle: {
      rule: notAResource(
        objectOf({ bundleUrl: { rule: text, required: true }, version: { rule: text, required: true } }),
      ),
    },
    mirror: {
      rule: notAResource(
        objectOf<NonNullable<PlainHelmValuesArgs["mirror"]>>({
          url: { rule: text, required: true },
          version: { rule: text, required: true },
          layout: { rule: text },
          destination: { rule: text },
          publicUrl: { rule: text },
        }),
      ),
    },
    enabled: { rule: booleanRule, default: true },
    version: { rule: text },
  },
  async foresee({ mirror, enabled }) {
    const { destination, publicUrl, layout } = Object(mirror);
    if (enabled === false || enabled === unknown || typeof destination !== "string" || publicUrl === unknown) {
      return;
    }
    const { requireReachable } = await import("../../sdk/plainHelmValues.js");
    asArgumentError(() =>
      requireReachable({ destination, publicUrl, layout: layout === unknown ? undefined : layout }),
    );
  },
  async call(args) {
    if (args.enabled !== false && args.bundle === undefined && args.mirror === undefined) {
      throw new ArgumentError(new Error(`helmValues: give a bundle or a mirror, and ${byOutputs}`));
    }
    const { plainHelmValues } = await import("../../sdk/plainHelmValues.js");
    return asArgumentError(() => plainHelmValues(args));
  },
});

function asArgumentError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ArgumentError(error);
  }
}
