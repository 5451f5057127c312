import http from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { listen } from "./loopback";

type Deployment = Record<string, unknown> & {
  resources?: { urn: string; id?: string; delete?: boolean }[];
  pending_operations?: unknown[];
};

/** A server with the parts of Pulumi Cloud that the real CLI needs for one stack, `organization/project/stack`. */
export interface PulumiService {
  environment: Record<string, string>;
  /** The stack names that the requests contained, in order. */
  asked: string[];
  deployment(): Deployment;
  /** From now on, the service refuses `GET /export` while the state has a pending operation, such as a create. */
  refuseExports(): void;
}

/**
 * @param stack the full name of the only stack. The server has two organizations: that of the stack, and the user's
 * own.
 */
export async function pulumiService(stack: string): Promise<PulumiService> {
  const login = "me";
  const [orgName = "", projectName = "", stackName = ""] = stack.split("/");
  const asked: string[] = [];
  let deployment: Deployment = {};
  let version = 0;
  let isRefusing = false;
  const tokenExpiration = Math.round(Date.now() / 1_000) + 3_600;
  const answers: [RegExp, (body: Record<string, unknown>) => unknown][] = [
    [/^GET \/api\/user$/, () => ({ githubLogin: login, name: login, organizations: [{ githubLogin: login }] })],
    [/^GET \/api\/user\/organizations\/default$/, () => ({ gitHubLogin: login })],
    [/^GET \/api\/capabilities$/, () => ({ capabilities: [] })],
    [/^GET $/, () => ({ orgName, projectName, stackName, activeUpdate: "", tags: {}, version })],
    [/^GET \/export$/, () => ({ version: 3, deployment })],
    [/^POST \/(update|destroy|refresh|preview)$/, () => ({ updateID: "update-1" })],
    [/^POST \/\w+\/update-1(\/renew_lease)?$/, () => ({ version: ++version, token: "lease", tokenExpiration })],
    [
      /^PATCH \/\w+\/update-1\/checkpoint$/,
      (body) => {
        deployment = (body.deployment ?? {}) as Deployment;
        return {};
      },
    ],
    [/^(POST|PATCH) \/(\w+\/update-1\/(events\/batch|complete)|tags)$/, () => ({})],
  ];
  const server = http.createServer(async (request, response) => {
    const bytes = await buffer(request);
    const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
    const path = String(request.url).replace(/\?.*$/, "");
    const [, named, rest] = /^\/api\/stacks\/([^/]+\/[^/]+\/[^/]+)(.*)$/.exec(path) ?? [];
    if (named !== undefined) {
      asked.push(named);
    }
    const line = `${request.method} ${rest ?? path}`;
    const isThere =
      (named === undefined || named === stack) &&
      !(isRefusing && deployment.pending_operations?.length && rest === "/export");
    const [, answer] = answers.find(([pattern]) => isThere && pattern.test(line)) ?? [];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer?.(text === "" ? {} : JSON.parse(text)) ?? { code: 404, message: "not found" }));
  });
  const { url } = await listen(server);
  return {
    environment: { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: "pul-test" },
    asked,
    deployment: () => deployment,
    refuseExports: () => {
      isRefusing = true;
    },
  };
}
