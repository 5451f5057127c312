import type { Random } from "../random";

export interface DrawnRefusal {
  framework: string;
  body: unknown;
  /** The sentence that says what is wrong. */
  said: string;
  field: string | undefined;
}

type Write = (said: string, field: string, status: number) => unknown;

const forms: readonly (readonly [string, Write])[] = [
  ["Express", (error) => ({ error })],
  ["Fastify", (message, _, statusCode) => ({ statusCode, code: "FST_ERR", error: "Bad Request", message })],
  ["NestJS", (said, _, statusCode) => ({ statusCode, message: [said, "x must be shorter"], error: "Bad Request" })],
  ["Spring", (message, _, status) => ({ timestamp: "2026-03-01", status, error: "Bad Request", message, path: "/v1" })],
  ["Phoenix", (detail) => ({ errors: { detail } })],
  ["GraphQL", (message) => ({ data: null, errors: [{ message, locations: [{ line: 1 }] }] })],
  ["OAuth", (said) => ({ error: "invalid_request", error_description: said })],
  ["a gateway", (faultstring) => ({ fault: { faultstring, detail: { errorcode: "policies.x" } } })],
  ["a cloud", (Message) => ({ __type: "ValidationException", Message })],
  ["Google", (message, _, code) => ({ error: { code, message, status: "INVALID_ARGUMENT", details: [] } })],
  ["XML", (said) => `<?xml version="1.0"?><Error><Code>Bad</Code><Message>${said}</Message></Error>`],
  ["SOAP", (said) => `<s:Envelope><s:Fault><faultstring>${said}</faultstring></s:Fault></s:Envelope>`],
  ["plain text", (said) => `${said}\n`],
];
const fieldForms: readonly (readonly [string, Write])[] = [
  ["Rails", (said, field) => ({ errors: { [field]: [said] } })],
  ["Laravel", (said, field) => ({ message: "The given data was invalid.", errors: { [field]: [said] } })],
  ["Django", (said, field) => ({ [field]: [said] })],
  ["FastAPI", (msg, field) => ({ detail: [{ loc: ["body", field], msg, type: "value_error" }] })],
  [
    "ASP.NET",
    (said, field, status) => ({ type: "about:blank", title: "Invalid", status, errors: { [field]: [said] } }),
  ],
  ["express-validator", (msg, field) => ({ errors: { [field]: { msg, param: field, location: "body" } } })],
  ["Go's ozzo", (said, field) => ({ errors: { [field]: said } })],
  ["JSON:API", (said, field) => ({ errors: [{ status: "422", title: "Invalid", detail: `${field}: ${said}` }] })],
];
const fields = ["domain", "exportOptions", "basePath", "paths", "locale"] as const;

/** @param withSigns true: the sentence may have signs that XML must escape. */
function drawSentence(random: Random, withSigns: boolean): string {
  const words = [
    "no",
    "such",
    "domain",
    "is",
    "not",
    "enabled",
    "for",
    "this",
    "plan",
    "größe",
    "42",
    "must",
    "match",
  ] as const;
  const plain = Array.from({ length: random.whole(2, 12) }, () => random.pick(words)).join(" ");
  return withSigns ? plain + random.pick(["", ".", ' ("x")', " <a>", " — é", ": [1, 2]"]) : plain;
}

export function drawRefusal(random: Random, turn: number, status: number): DrawnRefusal {
  const all = [...forms, ...fieldForms];
  const form = all[turn % all.length] as (typeof all)[number];
  const [framework, write] = form;
  const field = random.pick(fields);
  const said = drawSentence(random, !["XML", "SOAP"].includes(framework));
  return { framework, body: write(said, field, status), said, field: fieldForms.includes(form) ? field : undefined };
}
