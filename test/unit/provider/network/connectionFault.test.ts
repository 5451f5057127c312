import { Agent } from "undici";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ObjectJournal } from "../../../../provider/journal/objectJournal";
import { explainConnectionFault } from "../../../../provider/network/connectionFault";
import { OciRegistryStore } from "../../../../provider/storage/oci/store";
import { withTimeLimit } from "../../../../provider/support/abort";
import { untrusted } from "../../../support/certificate";
import { clientFor, never, rejection } from "../../../support/clientUnderTest";
import { closed, closedPort, reset, serve, serveTls, silence } from "../../../support/loopback";
import { downloadOf, fetched } from "../../../support/mirror/downloads";
import {
  eachObjectAddress,
  objectDestination,
  objectStoreAt,
  useObjectSecrets,
} from "../../../support/mirror/objectPlaces";

/* Every client must describe a network fault in the same words. The tests combine all `clients` with all `faults`. */

const name = `${"a".repeat(32)}-${"b".repeat(32)}.0123456789ab`;
type Ask = (url: string) => Promise<unknown>;

/** For each client, a function that sends one request to a faulty address, and rejects with the client's error. */
const clients: Record<string, Ask> = {
  "the admin API": (url) => clientFor(url, { maxRetries: 0 }).getExport("job-1", { signal: never }),
  "the storage behind a link": (url) => fetched(downloadOf([`${url}/bundle.tar.gz`]).download),
  ...Object.fromEntries(
    eachObjectAddress.flatMap(([words, address]): [string, Ask][] => [
      [words, (url) => objectStoreAt(address, url).stat(["a"])],
      [`a journal in ${words}`, (url) => new ObjectJournal("a place", objectDestination(address.at(url))).read(name)],
    ]),
  ),
  "a registry": (url) => {
    const { host, protocol } = new URL(url);
    const plainHttp = protocol === "http:";
    return new OciRegistryStore(
      { kind: "oci", registry: host, repository: "docs", plainHttp },
      { signal: never },
    ).getManifest("latest");
  },
};

/** For each fault, the words that must describe it, and a function that makes an address with this fault. */
const faults: Record<string, { words: RegExp; at: () => Promise<{ url: string }> }> = {
  "a port where nobody listens": {
    words: /the connection was refused \(ECONNREFUSED\)/,
    at: async () => ({ url: `http://127.0.0.1:${closedPort}` }),
  },
  "a host name that nobody has": {
    words: /the host name (is unknown \(ENOTFOUND\)|could not be looked up \(EAI_AGAIN\))/,
    at: async () => ({ url: "https://no-such-host.invalid" }),
  },
  "a certificate that nobody has signed": {
    words: /the certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    at: () => serveTls(untrusted, closed),
  },
  "a connection that is reset": {
    words: /the connection was reset \(ECONNRESET\)/,
    at: () => serve(reset),
  },
  "a connection that is closed without an answer": {
    words: /the connection was closed \(UND_ERR_SOCKET\)/,
    at: () => serve(closed),
  },
};

beforeEach(useObjectSecrets);
afterEach(() => vi.unstubAllEnvs());

it("each fault of the network is described in the same words by every client", async () => {
  const told = Object.entries(faults).map(async ([fault, { words, at }]) => {
    const { url } = await at();
    const messages = Object.entries(clients).map(async ([client, ask]) => {
      const { message } = await rejection(ask(url));
      return [`${fault}, ${client}`, words.exec(message)?.[0] ?? message] as const;
    });
    const found = Object.fromEntries(await Promise.all(messages));
    const first = Object.values(found)[0] ?? "";
    expect(first).not.toContain("\n");
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, first])));
  });
  await Promise.all(told);
});

/** For each kind of time limit, a function that sends a request to a server that never answers. */
const waits: Record<string, Ask> = {
  "the HTTP library": async (url) => {
    const agent = new Agent({ headersTimeout: 50 });
    await agent.request({ origin: url, path: "/", method: "GET" }).finally(() => agent.destroy());
  },
  "a limit of our own": async (url) => {
    await withTimeLimit(50, never, (signal) => fetch(url, { signal }));
  },
};

it.each(Object.entries(waits))("a time limit of %s is described in the same words", async (_, wait) => {
  const { url } = await serve(silence);
  expect(explainConnectionFault(await rejection(wait(url))).why).toMatch(/^no answer came in time( \(\w+\))?$/);
});
