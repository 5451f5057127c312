import { createHash } from "node:crypto";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../loopback";

/** The unusual behaviour of a registry. An empty object makes the simplest registry that the specification allows. */
export interface RegistryHabit {
  /**
   * "listed": the registry serves a list of each manifest's referrers, and says so in its answer to a put. "silent":
   * the registry serves the list, but does not say so. Unset: the registry serves no such list.
   */
  referrers?: "listed" | "silent";
  /** The status of the token server's answer for a scope. Default: 200. */
  token?: (scope: string) => number;
  /** Answers a request in place of the registry. A function that returns false leaves the answer to the registry. */
  answer?: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    url: string,
    tags: ReadonlyMap<string, unknown>,
    body: Buffer,
  ) => unknown;
}

export interface ScriptedRegistry {
  host: string;
  tags: ReadonlyMap<string, Buffer>;
  /** The requests in order, each in the form `METHOD path`. */
  requests: string[];
}

/**
 * Starts a registry in memory with one unusual behaviour. In all other respects it follows the distribution
 * specification.
 */
export async function scriptedRegistry(habit: RegistryHabit): Promise<ScriptedRegistry> {
  const [tags, manifests, blobs] = [new Map<string, Buffer>(), new Map<string, Buffer>(), new Map<string, Buffer>()];
  const uploads = new Map<string, Buffer>();
  const requests: string[] = [];

  const server = http.createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) {
      return;
    }
    const { method = "", url: asked = "" } = request;
    requests.push(`${method} ${asked}`);
    const answer = (status: number, more: http.OutgoingHttpHeaders = {}, content: Buffer | string = "") => {
      response.writeHead(status, more);
      response.end(method === "HEAD" ? "" : content);
    };
    if (asked === "/v2/") {
      return answer(200);
    }
    if (asked.startsWith("/token")) {
      const status = habit.token?.(new URL(asked, url).searchParams.get("scope") ?? "") ?? 200;
      return answer(status, {}, status === 200 ? '{"token":"token-of-the-test"}' : "");
    }
    if (habit.answer?.(request, response, url, tags, body)) {
      return;
    }
    if (response.headersSent) {
      return;
    }
    if (asked.startsWith("/v2/team/docs/tags/list")) {
      return answer(200, {}, JSON.stringify({ tags: [...tags.keys()] }));
    }
    const [, kind, name = "", query = ""] =
      /^\/v2\/team\/docs\/(blobs\/uploads|blobs|manifests|referrers)\/([^?]*)\??(.*)$/.exec(asked) ?? [];
    if (kind === "manifests") {
      const found = manifests.get(name) ?? tags.get(name);
      if (method === "PUT") {
        const digest = digestOf(body);
        manifests.set(digest, body);
        if (name !== digest) {
          tags.set(name, body);
        }
        const { subject } = JSON.parse(body.toString());
        const isListed = habit.referrers === "listed" && subject !== undefined;
        return answer(201, { "docker-content-digest": digest, ...(isListed && { "oci-subject": subject.digest }) });
      }
      if (found === undefined) {
        return answer(404, {}, '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
      }
      if (method === "DELETE") {
        tags.delete(name);
        manifests.delete(name);
        return answer(202);
      }
      const { mediaType } = JSON.parse(found.toString());
      const facts = { "docker-content-digest": digestOf(found), "content-length": found.length };
      return answer(200, { "content-type": mediaType, ...facts }, found);
    }
    if (kind === "blobs") {
      return answer(blobs.has(name) ? 200 : 404, {}, blobs.get(name) ?? '{"errors":[{"code":"BLOB_UNKNOWN"}]}');
    }
    if (kind === "referrers") {
      const type = { "content-type": "application/vnd.oci.image.index.v1+json" };
      return habit.referrers === undefined ? answer(404) : answer(200, type, referrersOf(name, manifests));
    }
    if (kind === "blobs/uploads") {
      const id = name || `upload-${uploads.size}`;
      const path = `/v2/team/docs/blobs/uploads/${id}`;
      if (method === "POST") {
        uploads.set(id, Buffer.alloc(0));
        return answer(202, { location: path });
      }
      const begun = uploads.get(id);
      if (begun === undefined) {
        return answer(404);
      }
      const received = Buffer.concat([begun, body]);
      uploads.set(id, received);
      const digest = new URLSearchParams(query).get("digest");
      if (method === "PUT" && digest === digestOf(received)) {
        blobs.set(digest, received);
        return answer(201, { location: `/v2/team/docs/blobs/${digest}` });
      }
      return method === "PATCH" ? answer(202, { location: path }) : answer(400);
    }
    return answer(404);
  });
  const { url, port } = await listen(server);
  return { host: `127.0.0.1:${port}`, tags, requests };
}

function referrersOf(digest: string, manifests: ReadonlyMap<string, Buffer>): string {
  const found = [...manifests].flatMap(([name, body]) => {
    const { mediaType, artifactType, annotations, subject } = JSON.parse(body.toString());
    return subject?.digest === digest
      ? [{ mediaType, digest: name, size: body.length, artifactType, annotations }]
      : [];
  });
  const mediaType = "application/vnd.oci.image.index.v1+json";
  return JSON.stringify({ schemaVersion: 2, mediaType, manifests: found });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
