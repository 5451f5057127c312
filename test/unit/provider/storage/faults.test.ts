import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ResumableDownload } from "../../../../provider/mirror/transfer/resumableDownload";
import { parseDestination } from "../../../../provider/storage/destination";
import type { ObjectStore } from "../../../../provider/storage/objectStore";
import type { OciDestination } from "../../../../provider/storage/oci/destination";
import { OciRegistryStore } from "../../../../provider/storage/oci/store";
import { DestinationError, DocsPlatformError } from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { campaign } from "../../../support/campaign";
import { never, noTls } from "../../../support/clientUnderTest";
import { FakeClock } from "../../../support/fakeClock";
import { serve } from "../../../support/loopback";
import { configureDocker } from "../../../support/mirror/configureDocker";
import { type FaultyFront, faultyFront, type RequestFault } from "../../../support/mirror/faultyFront";
import { eachObjectPlace, type ObjectPlace, objectStorages, openedStore } from "../../../support/mirror/objectPlaces";
import { scriptedRegistry } from "../../../support/mirror/scriptedRegistry";
import { gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../../support/random";

/* Each fault hits each request of each operation, once and many times. `npm test` runs a random part of the cases. */

/** `done`: the operation succeeds. `error`: an error names the cause. `own`: see `Client.refused`. */
type End = "done" | "error" | "own";

interface FaultCase {
  meet: RequestFault;
  /** The expected end if the fault hits once, and if it hits six times. */
  ends: readonly [once: End, often: End];
  /** The shortest allowed pause before the next attempt, in milliseconds. */
  rests?: number;
  words?: RegExp;
  /** The name of the only client that can meet this fault. */
  only?: string;
}

const status =
  (code: number, headers: Record<string, string> = {}): RequestFault =>
  (response) => {
    response.writeHead(code, headers).end();
  };
const asked = { "retry-after": "7" };

const faults: Record<string, FaultCase> = {
  "429 with a time": { meet: status(429, asked), ends: ["done", "done"], rests: 7_000 },
  "429 without a time": { meet: status(429), ends: ["done", "error"], words: /HTTP 429/ },
  "429 with the time 0": { meet: status(429, { "retry-after": "0" }), ends: ["done", "error"], words: /HTTP 429/ },
  "503 with the time 0": { meet: status(503, { "retry-after": "0" }), ends: ["done", "error"], words: /HTTP 503/ },
  "503 with a time": { meet: status(503, asked), ends: ["done", "done"], rests: 7_000 },
  "503 without a time": { meet: status(503), ends: ["done", "error"], words: /HTTP 503/ },
  "429 with a time after the deadline": {
    meet: status(429, { "retry-after": "7200" }),
    ends: ["error", "error"],
    words: /HTTP 429/,
  },
  "500": { meet: status(500), ends: ["done", "error"], words: /HTTP 500/ },
  "405": { meet: status(405), ends: ["own", "own"], words: /HTTP 405/ },
  "a connection that is dropped before the request is read": {
    meet: (_, request) => request.socket.destroy(),
    ends: ["done", "error"],
    words: /connection was (closed|reset)|Premature close/,
  },
  "a connection that is dropped after the request took effect": {
    async meet(_, request, forward) {
      (await forward()).resume();
      request.socket.destroy();
    },
    ends: ["done", "error"],
    words: /connection was (closed|reset)|HTTP 404/,
  },
  "a late answer": {
    async meet(response, _, forward) {
      const answered = await forward();
      await new Promise((resolve) => setTimeout(resolve, 150));
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    },
    ends: ["done", "done"],
  },
  "a token that has ended": {
    meet: (response, request) =>
      status(401, { "www-authenticate": `Bearer realm="http://${request.headers.host}/token",service="r"` })(
        response,
        request,
        async () => request,
      ),
    ends: ["done", "own"],
    words: /HTTP 401/,
    only: "a registry",
  },
};

interface World {
  front: FaultyFront;
  clock: FakeClock;
  options: { plainLoopback: true; signal: AbortSignal; clock: FakeClock; deadline: Deadline };
}

async function worldBefore(target: string): Promise<World> {
  const clock = new FakeClock();
  const deadline = Deadline.in(30 * 60_000, clock);
  const front = await faultyFront(target);
  return { front, clock, options: { plainLoopback: true, signal: AbortSignal.timeout(60_000), clock, deadline } };
}

/** Yields the bytes in chunks. The generator can be read only once. */
async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1024 ** 2) {
    yield bytes.subarray(at, at + 1024 ** 2);
  }
}

async function all(names: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const name of names) {
    found.push(name);
  }
  return found.sort();
}

const small = gzipLike(1_000);
/** Content that is larger than the smallest part of an upload, so that it is uploaded in parts. */
const large = gzipLike(8 * 1024 ** 2 + 1_000);
const put = { contentType: "text/plain", signal: never };
/** The operations of a store. Each returns a result, which the test compares with the result without a fault. */
const storeOperations: Record<string, (store: ObjectStore, name: string) => Promise<unknown>> = {
  "put of one part": async (store, name) => {
    await store.put(name, once(small), { ...put, expectedBytes: small.length });
    return sha256Of(await buffer(store.content(name)));
  },
  "put of several parts": async (store, name) => {
    await store.put(name, once(large), { ...put, expectedBytes: large.length });
    return sha256Of(await buffer(store.content(name)));
  },
  "stat, read and list": async (store) => [
    [...(await store.stat(["there"])).keys()],
    await store.read("there", 100),
    await all(store.listExisting("there")),
  ],
  remove: async (store, name) => {
    await store.remove([name, "there-not"]);
  },
};

interface Client {
  /** Starts the server. Returns its address. */
  start(): Promise<string>;
  operations: Record<string, (world: World, name: string) => Promise<unknown>>;
  /** Returns the expected end if the server refuses a request's method or credentials. Default: an error. */
  refused?: (request: string, fault: string) => End;
}

const objectClient = (place: ObjectPlace): Client => {
  return {
    async start() {
      await place.write("docs/there", "text");
      return place.endpoint;
    },
    operations: Object.fromEntries(
      Object.entries(storeOperations).map(([name, operation]) => [
        name,
        async ({ front, options }: World, object: string) => {
          const store = openedStore(place.destination("docs", front.url), options);
          return operation(store, object).finally(() => store.close());
        },
      ]),
    ),
  };
};

const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const image = (name: string) => ({
  config: { mediaType: "x", digest: digestOf(small), size: small.length },
  layers: [],
  annotations: { name },
});
const login = Buffer.from("robot:pa55word").toString("base64");
const registryOperations: Record<string, (store: OciRegistryStore, name: string) => Promise<unknown>> = {
  "putBlob and hasBlob": async (store, name) => {
    const bytes = Buffer.concat([small, Buffer.from(name)]);
    await store.putBlob(
      () => once(bytes),
      () => digestOf(bytes),
      never,
    );
    return store.hasBlob(digestOf(bytes));
  },
  putBytes: async (store, name) => {
    return store.hasBlob((await store.putBytes("application/json", Buffer.from(name), never)).digest);
  },
  "putManifest, getManifest and removeTag": async (store, name) => {
    const tag = name.replaceAll(/\W/g, "-");
    await store.putManifest(image("same"), never, tag);
    return [(await store.getManifest(tag))?.digest, await store.removeTag(tag)];
  },
  "putReferrer, referrers, readBlob and removeReferrer": async (store, name) => {
    const subject = { mediaType: "x", digest: digestOf(Buffer.from(name)), size: 1 };
    const layer = await store.putBytes("application/json", Buffer.from(name), never);
    const referrer = { artifactType: "x", ...image(name), layers: [layer], subject };
    await store.putReferrer(referrer, never);
    const [found] = await store.referrers(subject.digest);
    const isRead = (await store.readBlob(layer.digest)) !== undefined;
    return [isRead, await store.removeReferrer(subject.digest, String(found?.digest))];
  },
};

/** Starts a registry whose answers do not contain the lifetime of a token. A client then assumes one minute. */
async function startRegistry(): Promise<string> {
  const registry = await scriptedRegistry({
    answer: ({ headers }, response) =>
      headers.authorization !== "Bearer token-of-the-test" &&
      response.writeHead(401, { "www-authenticate": `Bearer realm="http://${headers.host}/token",service="r"` }).end(),
  });
  return `http://${registry.host}`;
}

const clients: Record<string, () => Client> = {
  ...Object.fromEntries(
    eachObjectPlace.map(([kind, placeOfTest]) => [objectStorages[kind].words, () => objectClient(placeOfTest())]),
  ),
  "a registry": () => ({
    start: startRegistry,
    operations: Object.fromEntries(
      Object.entries(registryOperations).map(([name, operation]) => [
        name,
        async ({ front, options }: World, object: string) => {
          const { host } = new URL(front.url);
          configureDocker({ auths: { [host]: { auth: login } } });
          const address = parseDestination(`oci://${host}/team/docs?plainHttp=true`) as OciDestination;
          const store = new OciRegistryStore(address, options);
          return operation(store, object).finally(() => store.close());
        },
      ]),
    ),
    // If HEAD is refused, the client sends GET. If the list of referrers is refused, the client reads a tag instead. A
    // refused deletion is no error: the operation returns false.
    refused: (request, fault) =>
      request.startsWith("DELETE ") || (fault === "405" && /^HEAD |\/referrers\//.test(request)) ? "done" : "error",
  }),
  "a download": () => ({
    start: async () => (await serve(storageReply(large, { etag: '"1"' }))).url,
    operations: {
      open: async ({ front, clock, options }) => {
        const download = new ResumableDownload({
          mint: async () => ({ bundleUrl: `${front.url}/bundle` }),
          rule: { loopback: true },
          network: { origin: front.url, tls: noTls },
          timeout: 5_000,
          limit: {
            size: { name: "maxBytes", bytes: large.length },
            wait: { name: "waitTimeout", time: "30m", deadline: options.deadline },
          },
          clock,
          random: () => 1,
          signal: never,
        });
        const { chunks } = await download.open();
        return buffer(chunks)
          .then(sha256Of)
          .finally(() => download.close());
      },
    },
  }),
};

async function outcomeOf(work: Promise<unknown>): Promise<{ result?: unknown; error?: unknown }> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** Returns a line for each result that differs from the expected result in the table. */
async function wrongEnds(
  client: Client,
  target: string,
  kind: string,
  [name, operation]: [string, Client["operations"][string]],
) {
  const wrong: string[] = [];
  const random = seededRandom(campaignSeed());
  let cells = 0;
  const clean = await worldBefore(target);
  const usual = await operation(clean, `${kind} without a fault`);
  const requests = [...clean.front.seen];
  for (const [fault, { meet, ends, rests = 0, words = /./, only = kind }] of Object.entries(faults)) {
    if (only !== kind) {
      continue;
    }
    await Promise.all(
      requests.flatMap((request, at) =>
        [1, 6].map(async (times) => {
          // A request for a token needs no token itself.
          if (fault.includes("token") && request.includes("/token")) {
            return;
          }
          if (!campaign && cells > 0 && random.whole(0, name.includes("several") ? 23 : 5) > 0) {
            return;
          }
          cells += 1;
          const world = await worldBefore(target);
          world.front.fault = { at, meet, times };
          const { error, result } = await outcomeOf(operation(world, `${name} ${fault} ${at} ${times}`));
          const planned = ends[times === 1 ? 0 : 1];
          const end = planned === "own" ? (client.refused?.(request, fault) ?? "error") : planned;
          const said = error instanceof Error ? error.message : "";
          const fits =
            end === "error"
              ? error instanceof DocsPlatformError &&
                (kind === "a download" || error instanceof DestinationError) &&
                words.test(said)
              : error === undefined &&
                (JSON.stringify(result) === JSON.stringify(usual) || request.startsWith("DELETE "));
          const slept = Math.max(0, ...world.clock.sleeps);
          if (!fits || (end === "done" && slept < rests)) {
            wrong.push(
              `${kind}, ${name}, ${request.replace(/\?.*/, "")} (${at}), ${fault}, ${times} times: ${error ?? JSON.stringify(result)}, rests ${world.clock.sleeps}`,
            );
          }
        }),
      ),
    );
  }
  return { wrong, cells };
}

afterEach(() => vi.unstubAllEnvs());

describe.each(Object.entries(clients))("%s", (kind, make) => {
  const client = make();
  let target: string;
  beforeEach(async () => {
    target = await client.start();
  });

  it.each(Object.entries(client.operations))(
    "ends as the table says, whatever any request of %s meets",
    async (...operation) => {
      const { wrong, cells } = await wrongEnds(client, target, kind, operation);
      expect(cells).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    },
    90_000,
  );
});

it("a token is renewed before it ends, so that no request is refused", async () => {
  const { front, clock, options } = await worldBefore(await startRegistry());
  const { host } = new URL(front.url);
  configureDocker({ auths: { [host]: { auth: login } } });
  const store = new OciRegistryStore(
    parseDestination(`oci://${host}/team/docs?plainHttp=true`) as OciDestination,
    options,
  );
  async function* slow(): AsyncGenerator<Buffer> {
    yield small;
    clock.pass(50_000);
  }
  await store.putBlob(slow, () => digestOf(small), never);
  // Six requests: POST (refused), token request, POST, PATCH, token request, PUT. The second token is needed, because
  // 50 s of the first token's minute have passed.
  expect(front.count).toBe(6);
  await store.putBlob(slow, () => digestOf(small), never);
  expect(front.count).toBe(10);
  store.close();
});
