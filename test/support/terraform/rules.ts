import type { AttributeSchema } from "../../../provider/hosts/terraform/schema";
import { hasUnknown, notKnown, same, sameType, shown, type Type, type Value } from "./cty";

/*
 * The demands of Terraform's core on a provider's answers, as assertions. Each function returns the broken rules. Core
 * itself checks less: here the second plan of a replacement is checked, too.
 */

export type SchemaAttributes = Readonly<Record<string, AttributeSchema>>;
/** The attributes of a block, by their names. */
export type TypedBlock = Readonly<Record<string, Value>>;

export function typeOf({ type }: AttributeSchema): Type {
  return type as Type;
}

/** Checks a plan of these attributes. */
export function planFaults(
  attributes: SchemaAttributes,
  prior: TypedBlock | null,
  config: TypedBlock,
  planned: TypedBlock,
): string[] {
  return Object.entries(attributes).flatMap(([name, { optional, required, computed }]) => {
    const [wanted, answered] = [config[name] as Value, planned[name] as Value];
    const before = prior?.[name];
    const keepsPrior =
      before !== undefined && before.content !== null && wanted.content !== null && same(answered, before);
    if (same(answered, wanted) || keepsPrior || (computed && !optional && !required)) {
      return [];
    }
    if (computed && wanted.content === null) {
      return [];
    }
    return [`plan: ${name} is planned as ${shown(answered)}, and configured as ${shown(wanted)}`];
  });
}

/** Checks the answer that follows this plan. */
export function resultFaults(step: string, planned: TypedBlock, actual: TypedBlock): string[] {
  return Object.entries(planned).flatMap(([name, value]) => compare(value, actual[name] as Value, `${step}: ${name}`));
}

function compare(planned: Value, actual: Value, path: string): string[] {
  const broken = [`${path} was planned as ${shown(planned)}, and is ${shown(actual)}`];
  if (planned.type === "dynamic") {
    return [];
  }
  if (!sameType(planned.type, actual.type)) {
    return broken;
  }
  const [one, other] = [planned.content, actual.content];
  if (one === notKnown) {
    return [];
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return one === other ? [] : broken;
  }
  if (Array.isArray(planned.type) && planned.type[0] === "set") {
    const [wanted, there] = [Object.values(one), Object.values(other)] as [Value[], Value[]];
    const found = (item: Value, among: Value[]) => among.some((each) => compare(item, each, path).length === 0);
    return there.length <= wanted.length && wanted.every((item) => found(item, there)) ? [] : broken;
  }
  const [wanted, there] = [one, other] as Record<string, Value>[];
  const names = Object.keys(wanted ?? {});
  if (names.length !== Object.keys(there ?? {}).length) {
    return broken;
  }
  return names.flatMap((name) => {
    const [before, after] = [wanted?.[name], there?.[name]];
    return before === undefined || after === undefined ? broken : compare(before, after, `${path}.${name}`);
  });
}

/** Checks that no saved value is unknown. */
export function unknownFaults(step: string, block: TypedBlock): string[] {
  const names = Object.keys(block).filter((name) => hasUnknown(block[name] as Value));
  return names.map((name) => `${step}: ${name} is not known`);
}

/** Returns whether a plan changes nothing. Nulls of all types are equal here. */
export function isNoChange(prior: TypedBlock, planned: TypedBlock): boolean {
  return Object.keys(planned).every((name) => {
    const [before, after] = [prior[name] as Value, planned[name] as Value];
    return (before.content === null && after.content === null) || same(before, after);
  });
}
