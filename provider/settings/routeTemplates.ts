import { words } from "../support/words";

/** The operations whose path can be set, each with the identifiers that its path must contain and may contain. */
const operations = {
  startExport: { required: [], allowed: [] },
  getExport: { required: ["jobId"], allowed: ["jobId"] },
  generateBundle: { required: ["jobId"], allowed: ["jobId"] },
  sendMessage: { required: ["id"], allowed: ["id", "projectId"] },
  getAgentJob: { required: ["id"], allowed: ["id", "projectId"] },
} as const satisfies Record<string, { required: readonly string[]; allowed: readonly string[] }>;

type Operation = keyof typeof operations;

/**
 * The paths below the base URL, with `{jobId}`, `{projectId}` and `{id}`, of the operations whose path differs from the
 * API text.
 */
export type RouteTemplates = Readonly<Partial<Record<Operation, string>>>;

/** Reads route templates from a JSON object of texts. */
export function parseRouteTemplates(text: string): RouteTemplates | { problem: string } {
  const templates = entriesOf(text);
  if (templates === undefined) {
    return { problem: `must be a JSON object of paths, such as {"getAgentJob":"/v2/agent-jobs/{id}"}` };
  }
  for (const [name, template] of templates) {
    if (!Object.hasOwn(operations, name)) {
      const known = Object.keys(operations).map((operation) => words.name(operation));
      return {
        problem: `has the unknown operation ${JSON.stringify(words.name(name))}; the operations are ${known.join(", ")}`,
      };
    }
    const problem = templateProblem(template, operations[name as Operation]);
    if (problem !== undefined) {
      return { problem: `has a wrong path for ${words.name(name)}: it ${problem}` };
    }
  }
  return Object.fromEntries(templates);
}

function entriesOf(text: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

function templateProblem(
  template: unknown,
  { required, allowed }: { required: readonly string[]; allowed: readonly string[] },
): string | undefined {
  if (typeof template !== "string") {
    return "must be a text";
  }
  const missing = required.find((id) => !template.includes(`{${id}}`));
  if (missing !== undefined) {
    return `must contain {${missing}}`;
  }
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    const known = allowed.length === 0 ? "none" : allowed.map((name) => `{${name}}`).join(" and ");
    return `contains {${unknown}}, but may contain only ${known}`;
  }
  // The characters of a path (RFC 3986). The parts `.` and `..` are not allowed.
  const filled = template.replace(/\{\w+\}/g, "x");
  return /^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]+$/.test(filled) && !/\/\.{1,2}(\/|$)/.test(filled)
    ? undefined
    : "must be a path that begins with one / and has no query";
}
