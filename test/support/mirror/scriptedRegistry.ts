import { createHash } from "node:crypto";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../loopback";

/** The differences of a registry from the simplest registry that the specification allows. */
export interface RegistryHabit {
  /** The status with which a request for an existing blob is redirected to another address. */
  redirectBlobs?: number;
  /** Returns the upload address that the registry sends in `Location`. */
  location?: (path: string, url: string) => string;
  headers?: Record<string, string>;
  /** The status of the answer when an object was created. */
  made?: number;
  /**
   * "listed" if the registry serves the referrers list. "silent" if it also serves the list, but its answer to a put
   * does not announce this. Unset if it has no list.
   */
  referrers?: "listed" | "silent";
  /** Returns the status with which the token server answers a request for this scope. Default: 200. */
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
  /** The manifest of each tag. */
  tags: ReadonlyMap<string, Buffer>;
  /** The requests that violated the specification, as `METHOD path`. */
  faults: string[];
  /** All requests so far, as `METHOD path`. */
  requests: string[];
}

/**
 * Starts a registry in memory with one unusual behaviour. In all other respects it follows the distribution
 * specification. It runs until the test ends.
 */
export async function scriptedRegistry(habit: RegistryHabit): Promise<ScriptedRegistry> {
  const [tags, manifests, blobs] = [new Map<string, Buffer>(), new Map<string, Buffer>(), new Map<string, Buffer>()];
  const uploads = new Map<string, { query: string; received: Buffer }>();
  const faults: string[] = [];
  const requests: string[] = [];
  const { location: locate = (path: string) => path, made = 201, headers = {} } = habit;

  const server = http.createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) {
      return;
    }
    const { method = "", url: asked = "" } = request;
    requests.push(`${method} ${asked}`);
    const answer = (status: number, more: http.OutgoingHttpHeaders = {}, content: Buffer | string = "") => {
      response.writeHead(status, { ...headers, ...more });
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
        return answer(made, { "docker-content-digest": digest, ...(isListed && { "oci-subject": subject.digest }) });
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
      const there = blobs.has(name);
      // The redirect leads to the same server. The query `storage` marks the request that follows it.
      return there && habit.redirectBlobs && query !== "storage"
        ? answer(habit.redirectBlobs, { location: `${url}/v2/team/docs/blobs/${name}?storage` })
        : answer(there ? 200 : 404, {}, blobs.get(name));
    }
    if (kind === "referrers") {
      const type = { "content-type": "application/vnd.oci.image.index.v1+json" };
      return habit.referrers === undefined ? answer(404) : answer(200, type, referrersOf(name, manifests));
    }
    if (kind === "blobs/uploads") {
      const id = name || `upload-${uploads.size}`;
      const path = `/v2/team/docs/blobs/uploads/${id}`;
      if (method === "POST") {
        const location = locate(path, url);
        uploads.set(id, { query: new URL(location, url).search.slice(1), received: Buffer.alloc(0) });
        return answer(202, { location });
      }
      const upload = uploads.get(id);
      if (upload === undefined || !query.startsWith(upload.query)) {
        faults.push(`${method} ${asked}`);
        return answer(404);
      }
      upload.received = Buffer.concat([upload.received, body]);
      const digest = new URLSearchParams(query).get("digest");
      if (method === "PUT" && digest === digestOf(upload.received)) {
        blobs.set(digest, upload.received);
        return answer(made, { location: `/v2/team/docs/blobs/${digest}` });
      }
      return method === "PATCH" ? answer(202, { location: locate(path, url) }) : answer(400);
    }
    faults.push(`${method} ${asked}`);
    return answer(404);
  });
  const { url, port } = await listen(server);
  return { host: `127.0.0.1:${port}`, tags, faults, requests };
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
