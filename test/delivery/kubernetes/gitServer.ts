import { spawn } from "node:child_process";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../../support/loopback";

/** Uses git's own server, until the test ends. Returns the address of the folder. */
export async function serveGit(folder: string): Promise<string> {
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: request.headers["git-protocol"]?.toString() ?? "",
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    request.pipe(child.stdin);
    const answer = await buffer(child.stdout);
    const end = answer.indexOf("\r\n\r\n");
    for (const line of answer.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") {
        response.statusCode = Number.parseInt(value, 10);
      } else {
        response.setHeader(name, value);
      }
    }
    response.end(answer.subarray(end + 4));
  });
  return (await listen(server)).url;
}
