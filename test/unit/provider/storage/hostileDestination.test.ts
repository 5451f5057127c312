import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ObjectJournal } from "../../../../provider/journal/objectJournal";
import type { ObjectStore } from "../../../../provider/storage/objectStore";
import type { OciDestination } from "../../../../provider/storage/oci/destination";
import { OciRegistryStore } from "../../../../provider/storage/oci/store";
import { RunCancelledError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { serve } from "../../../support/loopback";
import { configureDocker } from "../../../support/mirror/configureDocker";
import {
  askForCredentials,
  endlessListings,
  type HostileAnswer,
  type HostileServer,
  hostileAnswers,
  hostileServer,
} from "../../../support/mirror/hostileServer";
import {
  eachObjectAddress,
  objectDestination,
  objectStoreAt,
  type StorageAddress,
  useObjectSecrets,
} from "../../../support/mirror/objectPlaces";

/* For each hostile answer: a stopped run must end, memory must not fill up, and no other server may get a request. */

const login = Buffer.from("robot:pa55word").toString("base64");
const digest = `sha256:${"0".repeat(64)}`;
const many = Array.from({ length: 10 }, (_, index) => `page-${index}`);
/** The limit for all bytes that an operation receives. The largest answer and all its retries together are smaller. */
const mostBytes = 96 * 1024 ** 2;

/** The limit of the pages of a listing. It is larger than any listing of a mirror or a journal. */
const mostPages = 500;

async function* content(): AsyncGenerator<Buffer> {
  yield Buffer.from("content");
}

const repositoryAt = (url: string): OciDestination => ({
  ...{ kind: "oci", registry: new URL(url).host, repository: "team/docs", plainHttp: true },
});

type Work = (url: string, signal: AbortSignal) => Promise<unknown>;

const storeBy =
  (address: StorageAddress) =>
  (use: (store: ObjectStore, signal: AbortSignal) => Promise<unknown>): Work =>
  (url, signal) => {
    const opened = objectStoreAt(address, url, signal);
    return use(opened, signal).finally(() => opened.close());
  };
const storeWorks = (store: ReturnType<typeof storeBy>): Record<string, Work> => ({
  "stat of one": store((there) => there.stat(["a"])),
  "stat of many": store((there) => there.stat(many)),
  read: store((there) => there.read("a", 1024)),
  content: store((there) => all(there.content("a"))),
  list: store((there) => all(there.list())),
  put: store((there, signal) => there.put("a", content(), { ...put, signal })),
  remove: store((there) => there.remove(["a"])),
});
const registry =
  (use: (store: OciRegistryStore, signal: AbortSignal) => Promise<unknown>): Work =>
  (url, signal) => {
    const opened = new OciRegistryStore(repositoryAt(url), { signal });
    return use(opened, signal).finally(() => opened.close());
  };
const journalAt =
  (address: StorageAddress) =>
  (use: (journal: ObjectJournal) => Promise<unknown>): Work =>
  (url) =>
    use(new ObjectJournal("a place", objectDestination(address.at(url)), 1_000));
const journalWorks = (journal: ReturnType<typeof journalAt>): Record<string, Work> => ({
  list: journal((there) => there.list("name")),
  read: journal((there) => there.read("name")),
  write: journal((there) => there.write("name", "{}")),
  remove: journal((there) => there.remove("name")),
});

async function all(names: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of names) {
    // The loop only reads to the end.
  }
}

const put = { contentType: "text/plain", expectedBytes: 7 };
const image = { config: { mediaType: "x", digest, size: 2 }, layers: [] };

/** The answers that end only when the run is stopped, or after a time that is too long for a test. */
const endless = ["never answers", "drips a head without an end", "drips a body without an end"];

interface Client {
  works: Record<string, Work>;
  /** The hostile answers that are left out, because they are correct for this client. */
  without: readonly string[];
}

const clients: Record<string, Client> = {
  ...Object.fromEntries(
    eachObjectAddress.flatMap(([words, address]): [string, Client][] => [
      [words, { without: [], works: storeWorks(storeBy(address)) }],
      [`a journal in ${words}`, { without: [], works: journalWorks(journalAt(address)) }],
    ]),
  ),
  "a registry": {
    // The registry itself names the server that issues its tokens, so the password may go to that server.
    without: ["asks for credentials at another place"],
    works: {
      getManifest: registry((there) => there.getManifest("latest")),
      hasBlob: registry((there) => there.hasBlob(digest)),
      putBlob: registry((there, signal) => there.putBlob(content, () => digest, signal)),
      putBytes: registry((there, signal) => there.putBytes("application/json", Buffer.from("{}"), signal)),
      putManifest: registry((there, signal) => there.putManifest(image, signal, "latest")),
      removeTag: registry((there) => there.removeTag("latest")),
    },
  },
};

beforeEach(useObjectSecrets);
afterEach(() => vi.unstubAllEnvs());

/** Stops the run 400 ms after every operation has sent a request. With `endsByItself`, never stops the run. */
async function outcomesOf(works: Client["works"], lie: HostileAnswer, endsByItself: boolean) {
  const other = await serve(askForCredentials);
  const servers = await Promise.all(Object.keys(works).map(() => hostileServer(lie, other)));
  const auths = Object.fromEntries([other, ...servers].map(({ port }) => [`127.0.0.1:${port}`, { auth: login }]));
  configureDocker({ auths });
  const run = new AbortController();
  const stop = setInterval(() => {
    if (!endsByItself && servers.every(({ requests }) => requests.length > 0)) {
      clearInterval(stop);
      setTimeout(() => run.abort(), 400);
    }
  }, 20);
  const outcomes = Object.entries(works).map(async ([name, work], at) => {
    const { url, requests } = servers[at] as HostileServer;
    const outcome = await work(url, run.signal).catch((error: unknown) => error);
    return { name, outcome, requests: requests.length, sentBytes: servers[at]?.sentBytes ?? 0 };
  });
  const ended = await Promise.all(outcomes);
  clearInterval(stop);
  return { ended, elsewhere: other.requests.filter(({ headers }) => headers.authorization !== undefined) };
}

describe.each(Object.entries(clients))("%s that", (_, { works, without }) => {
  const told = Object.entries(hostileAnswers).filter(([name]) => !without.includes(name));
  // Outside the campaign, each answer is tested with every sixth client only, because all clients have the same limits.
  const client = Object.values(clients).findIndex((each) => each.works === works);
  it.each(told.filter((_, lie) => campaign || (lie + client) % 6 === 0))(
    "%s blocks nobody, fills no memory, and gets nobody's credentials",
    async (name, lie) => {
      const isListing = Object.hasOwn(endlessListings, name);
      // All operations read listings with the same code, so only the operation `list` is tested.
      const asked = Object.entries(works).filter(([work]) => !isListing || work === "list");
      const { ended, elsewhere } = await outcomesOf(Object.fromEntries(asked), lie as HostileAnswer, isListing);
      expect(elsewhere).toEqual([]);
      for (const { name: work, outcome, requests, sentBytes } of ended) {
        expect(requests, work).toBeGreaterThan(0);
        // The content of an object is not kept in memory, so it may be endless.
        if (work !== "content") {
          expect(sentBytes, work).toBeLessThan(mostBytes);
        }
        if (isListing) {
          const isTold = /lists more than \d+ (pages|names|characters)|too large|did not answer within/;
          expect(String(outcome), work).toMatch(isTold);
          expect(requests, work).toBeLessThanOrEqual(mostPages);
        }
        if (endless.includes(name) && outcome !== undefined) {
          // The test stops most operations. Two end earlier. A journal has its own time limit. Azure's SDK refuses a
          // download whose answer has no `Content-Length`.
          const isEnded =
            outcome instanceof RunCancelledError || /did not answer within|content length header/.test(String(outcome));
          expect(isEnded, work).toBe(true);
        }
        if (outcome instanceof Error) {
          expect(outcome.message, work).not.toMatch(/s3cr3t|czNjcjN0|pa55word|access-of-the-test/);
        }
      }
    },
    30_000,
  );
});
