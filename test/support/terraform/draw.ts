import type { Random } from "../random";
import { bool, list, map, nullOf, number, object, set, textValue, tuple, unknownOf, type Value } from "./cty";
import type { TypedBlock } from "./rules";

/** The drawn value of one attribute: the value of the apply, and the part that the plan knows. */
export interface Choice {
  readonly late: Value;
  readonly early?: Value;
  /** The value as HCL, for the real Terraform. */
  readonly hcl: string | null;
}

export interface Drawn {
  readonly type: string;
  /** The values by the names of the attributes. */
  readonly choices: Readonly<Record<string, Choice>>;
}

/** The attribute is not given. */
export const none: Choice = { late: nullOf("dynamic"), hcl: null };
export const textChoice = (content: string): Choice => ({ late: textValue(content), hcl: JSON.stringify(content) });
const later = ({ late, hcl }: Choice): Choice => ({
  late,
  early: unknownOf(late.type),
  hcl: `terraform_data.later[${hcl?.startsWith('"') ? hcl : `"${hcl}"`}].output`,
});

/** Only the apply knows that it is not given. */
const goneLater = (type: "string" | "bool" | "number", other: string): Choice => ({
  late: nullOf(type),
  early: unknownOf(type),
  hcl: `terraform_data.later["none"].output == "none" ? null : ${other}`,
});

/**
 * One value of every type of Terraform, with nulls, numbers of every length, and parts that the plan does not know yet.
 */
const triggers: readonly [Choice, ...Choice[]] = [
  none,
  { late: nullOf("string"), hcl: "var.no_text" },
  { late: nullOf("number"), hcl: "var.no_number" },
  { late: nullOf(["list", "string"]), hcl: "var.no_list" },
  { late: nullOf(["object", { a: "string" }]), hcl: "var.no_object" },
  textChoice("text"),
  textChoice(""),
  textChoice("ü 漢 \u0000".slice(0, 3)),
  { late: textValue("e\u0301"), hcl: '"e\u0301"' },
  textChoice("0.1"),
  { late: bool(false), hcl: "false" },
  { late: number("0"), hcl: "0" },
  { late: number("-1"), hcl: "-1" },
  { late: number("1.5"), hcl: "1.5" },
  { late: number("0.1"), hcl: "0.1" },
  { late: number("1e3"), hcl: "1e3" },
  { late: number("4294967296"), hcl: "4294967296" },
  { late: number("9007199254740993"), hcl: "9007199254740993" },
  { late: number("-9223372036854775808"), hcl: "-9223372036854775808" },
  { late: number("18446744073709551615"), hcl: "18446744073709551615" },
  { late: number("1234567890123456789012345678901234567890"), hcl: "1234567890123456789012345678901234567890" },
  { late: number(`0.${"3".repeat(155)}`), hcl: `0.${"3".repeat(155)}` },
  { late: number("0.30000000000000004"), hcl: "0.30000000000000004" },
  { late: tuple(), hcl: "[]" },
  { late: object({}), hcl: "{}" },
  { late: tuple(textValue("a"), number("1"), nullOf("dynamic")), hcl: '["a", 1, null]' },
  { late: list("string", textValue("b"), textValue("a")), hcl: 'tolist(["b", "a"])' },
  { late: set("string", textValue("a"), textValue("b")), hcl: 'toset(["b", "a"])' },
  { late: list("number", number("0.1"), number("9007199254740993")), hcl: "tolist([0.1, 9007199254740993])" },
  { late: map("string", { a: textValue("1"), b: nullOf("string") }), hcl: 'tomap({ a = "1", b = null })' },
  {
    late: object({ a: object({ b: tuple(nullOf("dynamic"), textValue("ü")) }), c: number("1e3") }),
    hcl: '{ a = { b = [null, "ü"] }, c = 1e3 }',
  },
  { late: object({ a: number("0.1"), b: nullOf("string") }), hcl: "{ a = 0.1, b = var.no_text }" },
  later(textChoice("known later")),
  {
    late: object({ a: textValue("known later"), b: number("0.1") }),
    early: object({ a: unknownOf("string"), b: number("0.1") }),
    hcl: '{ a = terraform_data.later["known later"].output, b = 0.1 }',
  },
  { late: nullOf("string"), early: unknownOf("string"), hcl: "null" },
  { late: textValue("of no type before"), early: unknownOf("dynamic"), hcl: '"of no type before"' },
];

/** Objects of any kind, with what the plan does not know yet. */
const options: readonly [Choice, ...Choice[]] = [
  none,
  none,
  { late: nullOf(["object", { a: "string" }]), hcl: "var.no_object" },
  { late: object({}), hcl: "{}" },
  { late: object({ format: textValue("html") }), hcl: '{ format = "html" }' },
  { late: map("string", { format: textValue("html") }), hcl: 'tomap({ format = "html" })' },
  {
    late: map("string", { format: textValue("html"), none: nullOf("string") }),
    hcl: 'tomap({ format = "html", none = null })',
  },
  {
    late: object({ limit: number("9007199254740993"), share: number("0.1"), none: nullOf("string") }),
    hcl: "{ limit = 9007199254740993, share = 0.1, none = var.no_text }",
  },
  {
    late: object({
      locales: set("string", textValue("de"), textValue("en")),
      deep: object({ a: list("bool", bool(true)) }),
    }),
    hcl: '{ locales = toset(["en", "de"]), deep = { a = tolist([true]) } }',
  },
  {
    late: object({ format: textValue("known later"), "e\u0301": bool(false) }),
    early: object({ format: unknownOf("string"), "e\u0301": bool(false) }),
    hcl: '{ format = terraform_data.later["known later"].output, "e\u0301" = false }',
  },
  {
    late: object({ format: textValue("of no type before") }),
    early: unknownOf("dynamic"),
    hcl: '{ format = "of no type before" }',
  },
  { late: nullOf("dynamic"), early: unknownOf("dynamic"), hcl: "null" },
];

const durations: readonly [Choice, ...Choice[]] = [
  none,
  textChoice("10m"),
  textChoice("1h"),
  later(textChoice("20m")),
  goneLater("string", '"30m"'),
];
const flags: readonly [Choice, ...Choice[]] = [
  none,
  { late: bool(false), hcl: "false" },
  { late: bool(true), hcl: "true" },
  later({ late: bool(true), hcl: "true" }),
  goneLater("bool", "true"),
];

export type Draws = Readonly<Record<string, readonly [Choice, ...Choice[]]>>;

/** The choices of each attribute, by the type of the resource. @param jobs completed ones @param folder of mirrors @param agentJob of messages */
export function choicesOf(
  jobs: readonly [string, ...string[]],
  folder: string,
  agentJob = "job",
): Readonly<Record<string, Draws>> {
  const ids = jobs.map(textChoice) as [Choice, ...Choice[]];
  const someJob: readonly [Choice, ...Choice[]] = [...ids, later(ids[0])];
  const maybe = (...choices: Choice[]): readonly [Choice, ...Choice[]] => [none, ...choices];
  const destinations = ["a", "b"].map((name) => textChoice(`file://${folder}/${name}`));
  const [first, second] = destinations as [Choice, Choice];
  return {
    docsplatform_static_export: {
      domain: [textChoice("docs.example.com"), later(textChoice("docs.example.com"))],
      triggers,
      export_options: options,
      job_id: [none, none, none, ...someJob, goneLater("string", '"gone"')],
      wait_timeout: durations,
    },
    docsplatform_export_bundle: {
      job_id: someJob,
      renew_before: [...durations, textChoice("0s")],
      version: maybe(
        textChoice("pinned"),
        textChoice("ü"),
        later(textChoice("pinned later")),
        goneLater("string", '"1"'),
      ),
      verify_link: flags,
    },
    docsplatform_bundle_mirror: {
      job_id: someJob,
      destination: [first, first, second, later(first)],
      layout: maybe(
        textChoice("archive"),
        textChoice("site"),
        later(textChoice("site")),
        goneLater("string", '"site"'),
      ),
      expected_sha256: maybe(goneLater("string", '"0"')),
      public_url: maybe(
        textChoice("https://cdn.example.com/docs"),
        later(textChoice("https://cdn.example.com/later")),
        goneLater("string", '"0"'),
      ),
      allow_existing: flags,
      max_bytes: maybe(
        { late: number("1e9"), hcl: "1e9" },
        { late: number("9007199254740991"), hcl: "9007199254740991" },
        goneLater("number", "1"),
      ),
      wait_timeout: durations,
    },
    docsplatform_agent_message: {
      job_id: [textChoice(agentJob)],
      prompt: [textChoice("Fix the links."), textChoice("ü\n漢"), later(textChoice("Known later."))],
      project_id: maybe(textChoice("docs"), later(textChoice("docs")), goneLater("string", '"docs"')),
      triggers,
      wait_for_completion: flags,
      wait_timeout: durations,
    },
  };
}

export function drawAll(random: Random, type: string, draws: Draws): Drawn {
  const choices = Object.entries(draws).map(([name, some]) => [name, random.pick(some)]);
  return { type, choices: Object.fromEntries(choices) };
}

/** Draws one or two attributes again. */
export function drawSome(random: Random, { type, choices }: Drawn, draws: Draws): Drawn {
  const names = Object.keys(draws) as [string, ...string[]];
  const some = [random.pick(names), random.pick(names)];
  const anew = some.map((name) => [name, random.pick(draws[name] ?? [none])]);
  return { type, choices: { ...choices, ...Object.fromEntries(anew) } };
}

/** Returns the attributes as the apply sees them, without bare nulls, and those whose values the plan does not know in full. */
export function blocksOf({ choices }: Drawn): { config: TypedBlock; early: TypedBlock } {
  const given = Object.entries(choices).filter(([, choice]) => choice !== none);
  const early = given.flatMap(([name, choice]) => (choice.early === undefined ? [] : [[name, choice.early]]));
  return {
    config: Object.fromEntries(given.map(([name, { late }]) => [name, late])),
    early: Object.fromEntries(early),
  };
}

/**
 * The block as HCL.
 * @param more other lines of the block
 */
export function hclOf({ type, choices }: Drawn, name: string, more: string): string {
  const given = Object.entries(choices).filter(([, { hcl }]) => hcl !== null);
  const lines = given.map(([attribute, { hcl }]) => `  ${attribute} = ${hcl}\n`);
  return `resource "${type}" "${name}" {\n${lines.join("")}${more}}\n`;
}

/**
 * The resources whose values a configuration uses.
 * @param seen collects the values that are known only later. They are never removed, since Terraform would find a cycle
 * with resources that are created first.
 * @param run a new text for each run, which makes such values unknown again.
 */
export function hclAround(blocks: string, seen: Set<string>, run: number): string {
  const keys = [...blocks.matchAll(/terraform_data\.later\[("(?:[^"\\]|\\.)*")\]/g)].map(([, key]) => key);
  for (const key of keys) {
    seen.add(key ?? "");
  }
  const variables = { text: "string", number: "number", list: "list(string)", object: "object({ a = string })" };
  const declared = Object.entries(variables).map(
    ([name, type]) => `variable "no_${name}" {\n  type    = ${type}\n  default = null\n}\n`,
  );
  const data = `resource "terraform_data" "later" {
  for_each         = toset([${[...seen].join(", ")}])
  input            = each.key
  triggers_replace = ${run}
  lifecycle {
    create_before_destroy = true
  }
}
`;
  return `${declared.join("")}${data}${blocks}`;
}
