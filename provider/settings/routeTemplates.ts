import { parseJsonObject } from "../support/parseJsonObject";
import { words } from "../support/words";

/** The operations whose route the user can set, each with the identifiers that the path must contain. */
const operations = {
  startExport: [],
  getExport: ["jobId"],
  generateBundle: ["jobId"],
  sendMessage: ["id"],
  getAgentJob: ["id"],
} as const satisfies Record<string, readonly string[]>;

type Operation = keyof typeof operations;

/** These operations send a body, so a template cannot set their method to GET. */
const sendBody: readonly string[] = ["startExport", "sendMessage"] satisfies Operation[];

/** The templates as the user wrote them: a path such as `/jobs/{id}`, or a method and a path: `POST /jobs/{id}`. */
export type RouteTemplates = Readonly<Partial<Record<Operation, string>>>;

/** If the template has no method, the operation uses the method in the API text. */
export function splitRouteTemplate(template: string): { method: "GET" | "POST" | undefined; path: string } {
  const [, method, path = template] = /^(GET|POST) (.*)$/s.exec(template) ?? [];
  return { method: method as "GET" | "POST" | undefined, path };
}

export function parseRouteTemplates(text: string): RouteTemplates | { problem: string } {
  const templates = parseJsonObject(text);
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
    const problem = templateProblem(name as Operation, template);
    if (problem !== undefined) {
      return { problem: `has a wrong route for ${words.name(name)}: it ${problem}` };
    }
  }
  return templates;
}

/**
 * Returns an export operation with `{projectId}` in its template. Only the setting `projectId` can fill this template.
 */
export function findOperationNeedingProject(templates: RouteTemplates): string | undefined {
  return (["startExport", "getExport", "generateBundle"] as const).find((name) =>
    templates[name]?.includes("{projectId}"),
  );
}

function templateProblem(operation: Operation, template: unknown): string | undefined {
  if (typeof template !== "string") {
    return "must be a text";
  }
  const { method, path } = splitRouteTemplate(template);
  if (method === "GET" && sendBody.includes(operation)) {
    return "must not have the method GET, because its request has a body";
  }
  const required: readonly string[] = operations[operation];
  const missing = required.find((id) => !path.includes(`{${id}}`));
  if (missing !== undefined) {
    return `must contain {${missing}}`;
  }
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const allowed = [...required, "projectId"];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    return `contains {${unknown}}, but may contain only ${allowed.map((name) => `{${name}}`).join(" and ")}`;
  }
  // A path contains only the characters of RFC 3986, and no segment `.` or `..`, not even in escaped form.
  const filled = path.replace(/\{\w+\}/g, "x");
  return /^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]+$/.test(filled) && !/\/(\.|%2e){1,2}(\/|$)/i.test(filled)
    ? undefined
    : "must be a path that begins with one / and has no query; GET or POST and one blank may stand before the path";
}
