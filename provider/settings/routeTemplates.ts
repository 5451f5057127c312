import { jsonObject } from "../support/jsonObject";
import { words } from "../support/words";

/** The operations whose path can be set, each with the identifiers that its path must contain. */
const operations = {
  startExport: [],
  getExport: ["jobId"],
  generateBundle: ["jobId"],
  sendMessage: ["id"],
  getAgentJob: ["id"],
} as const satisfies Record<string, readonly string[]>;

type Operation = keyof typeof operations;

export type RouteTemplates = Readonly<Partial<Record<Operation, string>>>;

export function parseRouteTemplates(text: string): RouteTemplates | { problem: string } {
  const templates = jsonObject(text);
  if (templates === undefined) {
    return { problem: `must be a JSON object of paths, such as {"getAgentJob":"/v2/agent-jobs/{id}"}` };
  }
  for (const [name, template] of Object.entries(templates)) {
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
  return templates;
}

/** Returns an operation whose path needs the setting `projectId`, since no resource names the project of an export. */
export function needsProject(templates: RouteTemplates): string | undefined {
  return (["startExport", "getExport", "generateBundle"] as const).find((name) =>
    templates[name]?.includes("{projectId}"),
  );
}

function templateProblem(template: unknown, required: readonly string[]): string | undefined {
  if (typeof template !== "string") {
    return "must be a text";
  }
  const missing = required.find((id) => !template.includes(`{${id}}`));
  if (missing !== undefined) {
    return `must contain {${missing}}`;
  }
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const allowed = [...required, "projectId"];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    return `contains {${unknown}}, but may contain only ${allowed.map((name) => `{${name}}`).join(" and ")}`;
  }
  // The characters of a path (RFC 3986). The parts `.` and `..` are not allowed.
  const filled = template.replace(/\{\w+\}/g, "x");
  return /^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]+$/.test(filled) && !/\/\.{1,2}(\/|$)/.test(filled)
    ? undefined
    : "must be a path that begins with one / and has no query";
}
