import type { Random } from "../random";

/** The value of one attribute as HCL, or null if the configuration does not set the attribute. */
type Choice = string | null;
type Choices = readonly [Choice, ...Choice[]];

export type Draws = Readonly<Record<string, Choices>>;

export interface DrawnResource {
  readonly type: string;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** Returns an expression that has this text as its value. In the plan, the value is unknown. */
const later = (text: string): string => `terraform_data.later[${JSON.stringify(text)}].output`;
/** Returns an expression that the apply turns into null. In the plan, its value is unknown. */
const goneLater = (other: string): string => `${later("none")} == "none" ? null : ${other}`;

/** Nulls, values of every type, the longest numbers that are stored exactly, and parts that are unknown in the plan. */
export const triggers: Choices = [
  null,
  ...["var.no_text", "var.no_number", "var.no_list", "var.no_object", 'true ? null : "x"'],
  ...['"text"', '""', '"ü 漢"', '"0.1"', '"e\u0301"', "false"],
  ...["0", "-1", "1.5", "0.1", "1e3", "4294967296", "9007199254740991", "-9223372036854776000", "1e300"],
  "0.30000000000000004",
  "length([1, 2, 3]) * 0.1",
  ...["[]", "{}", '["a", 1, null]', "[var.no_text]", 'tolist(["b", "a"])', 'toset(["b", "a"])'],
  "tolist([0.1, 9007199254740991])",
  'tomap({ a = "1", b = var.no_text })',
  '{ a = { b = [null, "ü"] }, c = 1e3 }',
  "{ a = 0.1, b = var.no_text, c = 9007199254740991 }",
  "{ constructor = [{ constructor = null }] }",
  later("known later"),
  `{ a = ${later("known later")}, b = 0.1 }`,
];

const options: Choices = [
  null,
  ...[null, "var.no_object", "{}", '{ format = "html" }', 'tomap({ format = "html" })'],
  'tomap({ format = "html", none = var.no_text })',
  "{ limit = 9007199254740991, share = 0.1, none = var.no_text }",
  '{ locales = toset(["de", "en"]), deep = { a = tolist([true]) } }',
  `{ format = ${later("known later")}, "e\u0301" = false }`,
];

const durations: Choices = [null, '"10m"', '"1h"', later("20m"), goneLater('"30m"')];
const flags: Choices = [null, "false", "true", later("true"), goneLater("true")];

/** @param jobs the ids of completed jobs. */
export function choicesOf(jobs: readonly [string, ...string[]], folder: string): Readonly<Record<string, Draws>> {
  const [first] = jobs;
  const someJob: Choices = [later(first), ...jobs.map((id) => JSON.stringify(id))];
  const [one, other] = ["a", "b"].map((name) => `file://${folder}/${name}`) as [string, string];
  return {
    docsplatform_static_export: {
      domain: ['"docs.example.com"', later("docs.example.com")],
      triggers,
      export_options: options,
      job_id: [null, null, null, ...someJob, goneLater('"gone"')],
      wait_timeout: durations,
    },
    docsplatform_export_bundle: {
      job_id: someJob,
      renew_before: [...durations, '"0s"'],
      version: [null, '"pinned"', '"ü"', later("pinned later"), goneLater('"1"')],
      verify_link: flags,
    },
    docsplatform_bundle_mirror: {
      job_id: someJob,
      destination: [JSON.stringify(one), JSON.stringify(one), JSON.stringify(other), later(one)],
      layout: [null, '"archive"', '"site"', later("site"), goneLater('"site"')],
      expected_sha256: [null, goneLater('"0"')],
      public_url: [null, '"https://cdn.example.com/docs"', later("https://cdn.example.com/later"), goneLater('"0"')],
      max_bytes: [null, "1e9", "9007199254740991", goneLater("1")],
      wait_timeout: durations,
    },
    docsplatform_agent_message: {
      job_id: ['"job"'],
      prompt: ['"Fix the links."', '"ü\\n漢"', later("Known later.")],
      project_id: [null, '"docs"', later("docs"), goneLater('"docs"')],
      triggers,
      wait_for_completion: flags,
      wait_timeout: durations,
    },
  };
}

export function drawAll(random: Random, type: string, draws: Draws): DrawnResource {
  const choices = Object.entries(draws).map(([name, some]) => [name, random.pick(some)]);
  return { type, choices: Object.fromEntries(choices) };
}

export function drawSome(random: Random, { type, choices }: DrawnResource, draws: Draws): DrawnResource {
  const names = Object.keys(draws) as [string, ...string[]];
  const some = [random.pick(names), random.pick(names)];
  const anew = some.map((name) => [name, random.pick(draws[name] ?? [null])]);
  return { type, choices: { ...choices, ...Object.fromEntries(anew) } };
}

/** @param more additional lines of the block. */
export function hclOf({ type, choices }: DrawnResource, name: string, more = ""): string {
  const given = Object.entries(choices).filter(([, value]) => value !== null);
  const lines = given.map(([attribute, value]) => `  ${attribute} = ${value}\n`);
  return `resource "${type}" "${name}" {\n${lines.join("")}${more}}\n`;
}

/**
 * Puts the declarations of all values that `blocks` use in front of `blocks`.
 * @param seen collects the names of these values. Use one set for all configurations of a stack: with
 * create-before-destroy, Terraform reports a cycle if a later configuration leaves out a name.
 * @param run a new number makes these values unknown in the plan again.
 */
export function hclAround(blocks: string, seen = new Set<string>(), run = 0): string {
  for (const [, key = ""] of blocks.matchAll(/terraform_data\.later\[("(?:[^"\\]|\\.)*")\]/g)) {
    seen.add(key);
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
