import http from "node:http";
import { type Loopback, listen, type Reply } from "../loopback";
import { campaignSeed, seededRandom } from "../random";

export interface HostileServer extends Loopback {
  sentBytes: number;
}

export interface RedirectTarget {
  url: string;
}

/** Gives a wrong answer. A redirect leads to `elsewhere`. */
export type HostileAnswer = (response: http.ServerResponse, server: HostileServer, elsewhere: RedirectTarget) => void;

const chunk = Buffer.alloc(256 * 1024, "<a>");

function pour(response: http.ServerResponse, server: HostileServer): void {
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  for (let open = true; open && !response.destroyed; ) {
    open = response.write(chunk);
    server.sentBytes += chunk.length;
  }
  if (!response.destroyed) {
    response.once("drain", () => pour(response, server));
  }
}

/** Answers like S3 or Azure with a page of a listing, and always announces a next page. */
function endlessListing(pageAt: (page: number) => readonly string[]): HostileAnswer {
  return (response, server) => {
    const [, kind] = /(list-type=2|comp=list)/.exec(response.req.url ?? "") ?? [];
    if (kind === undefined) {
      response.writeHead(404).end();
      return;
    }
    const page = server.requests.length;
    const names = pageAt(page);
    const answer =
      kind === "comp=list"
        ? `<EnumerationResults><Blobs>${names.map((name) => `<Blob><Name>docs/${name}</Name><Properties/></Blob>`).join("")}</Blobs><NextMarker>${page}</NextMarker></EnumerationResults>`
        : `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>${names.map((name) => `<Contents><Key>docs/${name}</Key></Contents>`).join("")}</ListBucketResult>`;
    server.sentBytes += answer.length;
    response.writeHead(200, { "content-type": "application/xml" }).end(answer);
  };
}

/** These listings never end, so the client must stop at its own limits. */
export const endlessListings = {
  "lists empty pages without an end": endlessListing(() => []),
  "lists pages of any size without an end": endlessListing((page) => {
    const random = seededRandom(campaignSeed() + page);
    return Array.from({ length: random.whole(0, 20) }, (_, at) => `${page}-${at}`.padEnd(random.whole(1, 100), "n"));
  }),
  "lists more names in a page than anybody asks for": endlessListing(() => Array(100_000).fill("n")),
} satisfies Record<string, HostileAnswer>;

export const hostileAnswers = {
  ...endlessListings,
  "never answers": () => {},
  "drips a head without an end": ({ socket }) => {
    socket?.write("HTTP/1.1 200 OK\r\n");
    const drip = setInterval(() => socket?.write("x-drip: 1\r\n"), 20);
    socket?.on("close", () => clearInterval(drip));
  },
  "drips a body without an end": (response) => {
    response.writeHead(200, { "content-type": "application/xml" });
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  },
  "pours a body without an end": (response, server) => {
    response.writeHead(200, { "content-type": "application/xml", etag: '"1"' });
    pour(response, server);
  },
  "pours the body of an error without an end": (response, server) => {
    response.writeHead(400, { "content-type": "application/xml" });
    pour(response, server);
  },
  "promises more than it sends": (response) => {
    response.writeHead(200, { "content-length": "1000000", etag: '"1"' });
    response.write("{");
    setTimeout(() => response.socket?.destroy(), 20);
  },
  "answers with a page": (response) => {
    response.writeHead(200, { "content-type": "text/html", etag: '"1"' });
    response.end("<!DOCTYPE html><title>Sign in</title>");
  },
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `redirects by ${status}`,
      (response: http.ServerResponse, _: HostileServer, { url }: RedirectTarget) => {
        response.writeHead(status, { location: `${url}/taken` });
        response.end();
      },
    ]),
  ),
  "asks for credentials at another place": (response, _, { url }) => {
    response.writeHead(401, { "www-authenticate": `Bearer realm="${url}/token",service="x"` });
    response.end();
  },
  "leads an upload to another place that asks for credentials": (response, _, { url }) => {
    response.writeHead(202, { location: `${url}/upload` });
    response.end();
  },
  "says that it is too busy, for ever": (response) => {
    response.writeHead(503, { "retry-after": "1" });
    response.end();
  },
  "says that a condition does not hold": (response) => {
    response.writeHead(412, { "content-type": "application/xml" });
    response.end("<Error><Code>PreconditionFailed</Code></Error>");
  },
} satisfies Record<string, HostileAnswer>;

export async function hostileServer(answer: HostileAnswer, elsewhere: RedirectTarget): Promise<HostileServer> {
  const server = http.createServer(async (request, response) => {
    request.resume();
    response.on("error", () => {});
    hostile.requests.push({
      ...{ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: "" },
    });
    answer(response, hostile, elsewhere);
  });
  const hostile: HostileServer = Object.assign(await listen(server), { sentBytes: 0 });
  return hostile;
}

/** All redirects lead to this reply. It asks for credentials, and records what the client sends. */
export const askForCredentials: Reply = (response, { request }) => {
  response.writeHead(401, { "www-authenticate": `Bearer realm="http://${request.headers.host}/token",service="x"` });
  response.end();
};
