import { createHash, randomUUID } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { SimulatedExportJob } from "../jobs/job";
import { type ByteRange, parseRange } from "../links/byteRange";
import type { LinkVerdict } from "../links/linkSigner";
import type { RouteContextTypes, RouteDependencies } from "./platformEnv";
import { bundlePathPrefix } from "./routeTable";

const chunkSize = 64 * 1024;

/** A download needs no API key, because the link's signature replaces the key. */
export function requireValidLink({ links, clock }: RouteDependencies): MiddlewareHandler<RouteContextTypes> {
  return async (c, next) => {
    if (c.req.header("Authorization") !== undefined) {
      return refuse(400, "InvalidArgument", "Only one auth mechanism allowed: a signed link takes no Authorization");
    }
    const url = new URL(c.req.url);
    const host = c.req.header("Host") ?? "";
    const link = { method: c.req.method, host, path: url.pathname, query: url.searchParams };
    const verdict = links.verify(link, clock.now());
    return verdict === "valid" ? next() : refuseLink(verdict, clock.now());
  };
}

export function serveDownloads(app: OpenAPIHono<RouteContextTypes>, { jobs, settings }: RouteDependencies): void {
  app.all(`${bundlePathPrefix}*`, async (c) => {
    const jobId = new URL(c.req.url).pathname.slice(bundlePathPrefix.length).replace(/\.tar\.gz$/, "");
    const job = jobs.find(jobId);
    if (job === undefined) {
      return refuse(404, "NoSuchKey", "The specified key does not exist.");
    }
    return send(c, await job.site.archive(), settings.form === "record" ? downloadNameOf(job) : undefined);
  });
}

function downloadNameOf({ domain, createdAt }: SimulatedExportJob): string {
  const [deployment = ""] = domain.split(".");
  return `${deployment.replace(/[^\w-]/g, "")}-export-${new Date(createdAt).toISOString().slice(0, 10)}.tar.gz`;
}

function send(c: Context<RouteContextTypes>, archive: Buffer, name: string | undefined): Response {
  const etag = `"${createHash("md5").update(archive).digest("hex")}"`;
  const headers = { "Accept-Ranges": "bytes", ETag: etag, "Content-Type": "application/gzip" };
  // If the file has changed since the client's first request (`If-Range`), the whole file is sent.
  const sameFile = (c.req.header("If-Range") ?? etag) === etag;
  const range = sameFile ? parseRange(c.req.header("Range"), archive.length) : undefined;
  if (range === "unsatisfiable") {
    return refuse(416, "InvalidRange", "The requested range is not satisfiable", {
      "Content-Range": `bytes */${archive.length}`,
    });
  }
  const { first, last }: ByteRange = range ?? { first: 0, last: archive.length - 1 };
  return new Response(stream(archive.subarray(first, last + 1)), {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...(name !== undefined && { "Content-Disposition": `attachment; filename="${name}"` }),
      "Content-Length": String(last - first + 1),
      ...(range && { "Content-Range": `bytes ${first}-${last}/${archive.length}` }),
    },
  });
}

/** Provides a chunk only when the client reads, so that nothing is buffered for a slow client. */
function stream(bytes: Buffer): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(sent, sent + chunkSize));
      sent += chunkSize;
      if (sent >= bytes.length) {
        controller.close();
      }
    },
  });
}

function refuseLink(verdict: Exclude<LinkVerdict, "valid">, now: number): Response {
  if (verdict === "unsigned") {
    return refuse(403, "AccessDenied", "Access Denied");
  }
  if (verdict === "wrongSignature") {
    return refuse(403, "SignatureDoesNotMatch", "The request signature does not match the one that was calculated.");
  }
  const times = { Expires: new Date(verdict.expired).toISOString(), ServerTime: new Date(now).toISOString() };
  return refuse(403, "AccessDenied", "Request has expired", {}, times);
}

function refuse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
  details: Record<string, string> = {},
): Response {
  const fields = Object.entries({ Code: code, Message: message, ...details, RequestId: randomUUID() });
  const error = fields.map(([name, value]) => `<${name}>${value}</${name}>`).join("");
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<Error>${error}</Error>`, {
    status,
    headers: { "Content-Type": "application/xml", ...headers },
  });
}
