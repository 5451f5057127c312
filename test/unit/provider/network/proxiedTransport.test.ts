import { writeFileSync } from "node:fs";
import https from "node:https";
import type net from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Settings } from "../../../../provider/settings/settings";
import { authority, trustedClient, trustedServer } from "../../../support/certificate";
import { clientFor, clientOperations, goodBody, noTls, rejection } from "../../../support/clientUnderTest";
import { badProxy, throughProxy, tunnelTo, useProxy } from "../../../support/forwardProxy";
import {
  answer,
  closed,
  closedPort,
  forwardTls,
  listen,
  serve,
  serveTls,
  silence,
  torn,
} from "../../../support/loopback";
import { requestLimit } from "../../../support/requestLimit";
import { requireTool } from "../../../support/requireTool";
import { folderOfFile } from "../../../support/temporaryFolder";

const folder = folderOfFile();
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const tls = { ...noTls, caFile: file("ca.pem", authority) };
const mutual = {
  ...tls,
  clientCertFile: file("client.pem", trustedClient.cert),
  clientKeyFile: file("client.key", trustedClient.key),
};

/** A host that no name server knows, so requests can reach it only through the proxy. */
const platform = "https://docs.example.test";
const good = answer(202, goodBody);
const clientOf = (settings: Partial<Settings> & { connectTimeout?: number } = {}) =>
  clientFor(platform, { tls, ...settings });
const sentOnce = ["startExport", "sendMessage"] as const;

it.each(sentOnce)("a variable that names no proxy is no start, and is reported unchanged: %s", async (name) => {
  useProxy("http://me:12#s3cr3t@127.0.0.1");
  const error = await rejection(clientOperations[name](clientOf()));
  expect(error).toMatchObject({ code: "DOCS_CONFIGURATION" });
  expect(error.message).not.toContain("s3cr3t");
});

describe.skipIf(!requireTool("go"))("through a real forward proxy (goproxy, built with go)", () => {
  it("every operation goes by a tunnel, one for each connection", async () => {
    const server = await serveTls({}, good);
    const proxy = await throughProxy({ "docs.example.test:443": server.port });
    const client = clientOf();
    await client.startExport("docs.example.com", { signal: new AbortController().signal });
    for (const name of ["getExport", "createBundle", "getAgentJob"] as const) {
      await clientOperations[name](client);
    }
    expect(server.requests).toHaveLength(4);
    await expect
      .poll(() => proxy.connects)
      .toEqual(Array(server.connections).fill("CONNECT 200 docs.example.test:443"));
  });

  it("with a user and a password, which go to the proxy only", async () => {
    const server = await serveTls({}, good);
    const proxy = await throughProxy({ "docs.example.test:443": server.port }, "me:s3cr3t");
    await clientOperations.startExport(clientOf());
    await expect.poll(() => proxy.connects).toEqual(["CONNECT 200 docs.example.test:443"]);
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("a request arrives through a proxy that is itself reached by https", async () => {
    const server = await serveTls({}, good);
    const proxy = await throughProxy({ "docs.example.test:443": server.port }, "me:s3cr3t");
    const { port } = await forwardTls(proxy.host);
    useProxy(`https://me:s3cr3t@127.0.0.1:${port}`);
    await clientOperations.startExport(clientOf());
    await expect.poll(() => proxy.connects).toEqual(["CONNECT 200 docs.example.test:443"]);
    expect(server.requests).toHaveLength(1);
  });

  it.each(["http://", "http://me:s3cr3t@"])(
    "407 to %s is reported once, without the password, and is not tried again",
    async (scheme) => {
      const proxy = await throughProxy({}, "me:other");
      useProxy(`${scheme}${proxy.host}`);
      const error = await rejection(clientOperations.startExport(clientOf()));
      expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
      expect(error.message).toContain(`the proxy ${proxy.host} does not accept the user name`);
      expect(error.message).toContain("in HTTPS_PROXY, before the host: user:password@host");
      expect(error.message).not.toContain("s3cr3t");
      await expect.poll(() => proxy.connects).toEqual(["CONNECT 407 docs.example.test:443"]);
    },
  );

  it.each(sentOnce)("a host that it does not find is no start: %s is tried again", async (name) => {
    const proxy = await throughProxy({});
    const error = await rejection(clientOperations[name](clientOf()));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(error.message).toContain(`the proxy ${proxy.host} refused the tunnel (5`);
    await expect.poll(() => proxy.connects).toHaveLength(3);
  });

  it("a certificate of an unknown authority is reported with the proxy and the setting, and nothing was sent", async () => {
    const server = await serveTls({}, good);
    const proxy = await throughProxy({ "docs.example.test:443": server.port });
    const error = await rejection(clientOperations.startExport(clientOf({ tls: noTls })));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(proxy.connects).not.toEqual([]);
    expect(error.message).toMatch(/What to do: .*caFile.*DOCS_PLATFORM_CA_FILE/);
    expect(server.requests).toHaveLength(0);
  });

  it("a certificate for another name is refused, and nothing was sent", async () => {
    const server = await serveTls({}, good);
    await throughProxy({ "docs.example.org:443": server.port });
    const client = clientFor("https://docs.example.org", { tls });
    const error = await rejection(clientOperations.startExport(client));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(error.message).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ["a close", closed],
    ["an answer that breaks off", torn],
    ["silence", silence],
  ])("a start that %s meets behind the tunnel is never repeated", async (_, reply) => {
    const { requestTimeout, pass } = requestLimit();
    const server = await serveTls({}, reply === silence ? pass : reply);
    await throughProxy({ "docs.example.test:443": server.port });
    const client = clientOf({ requestTimeout });
    expect(await rejection(clientOperations.startExport(client))).toMatchObject({
      code: "DOCS_AMBIGUOUS_START",
      doubtful: true,
    });
    expect(server.requests).toHaveLength(1);
  });

  it("a request to this machine goes past the proxy, whatever NO_PROXY says", async () => {
    const server = await serve(good);
    const proxy = await throughProxy({});
    await clientOperations.startExport(clientFor(server.url));
    expect([server.requests.length, proxy.connects.length]).toEqual([1, 0]);
  });

  it("a client certificate and more headers go to the platform's origin, and not to a link's host", async () => {
    const server = await serveTls({ requestCert: true, rejectUnauthorized: false, ca: authority }, good);
    const shown: unknown[] = [];
    const storage = await serveTls(
      { requestCert: true, rejectUnauthorized: false, ca: authority },
      (response, seen) => {
        shown.push((seen.socket as import("node:tls").TLSSocket).authorized);
        answer(206, "x")(response, seen);
      },
    );
    await throughProxy({ "docs.example.test:443": server.port, "files.example.test:443": storage.port });
    const client = clientOf({ tls: mutual, headers: [["X-Gateway", "s3cr3t-token"]] });
    await clientOperations.startExport(client);
    await client.checkLink("https://files.example.test/bundle?sig=1", { signal: new AbortController().signal });
    expect(server.requests[0]?.headers["x-gateway"]).toBe("s3cr3t-token");
    expect(storage.requests[0]?.headers).not.toHaveProperty("x-gateway");
    expect(storage.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(shown).toEqual([false]);
  });

  it("a platform that wants a client certificate gets it", async () => {
    const server = await serveTls({ requestCert: true, rejectUnauthorized: true, ca: authority }, good);
    await throughProxy({ "docs.example.test:443": server.port });
    await clientOperations.startExport(clientOf({ tls: mutual }));
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(sentOnce)("%s, whose proxy misbehaves before the tunnel stands, surely was not sent", (name) => {
  it.each<[string, (client: net.Socket) => unknown, string, number]>([
    ["answers 403", (client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n<html>"), "refused the tunnel (403)", 1],
    [
      "answers 404, as a web server does",
      (client) => client.end("HTTP/1.1 404 Not Found\r\n\r\n"),
      "refused the tunnel (404)",
      1,
    ],
    ["answers 502", (client) => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "refused the tunnel (502)", 3],
    ["answers a page", (client) => client.end("<html>Sign in</html>"), "got no answer", 3],
    ["closes", (client) => client.end(), "the proxy closed the connection", 3],
    ["resets", (client) => client.resetAndDestroy(), "the connection was reset", 3],
    [
      "closes in the middle of its answer",
      (client) => client.end("HTTP/1.1 200 Conn"),
      "the proxy closed the connection",
      3,
    ],
  ])("where it %s", async (_, act, told, tries) => {
    const proxy = await badProxy((client) => act(client));
    const error = await rejection(clientOperations[name](clientOf({ connectTimeout: 300 })));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(error.message).toContain(`the proxy ${proxy.host}`);
    expect(error.message).toContain(told);
    expect(proxy.connects).toHaveLength(tries);
  });

  it("if the proxy is silent", async () => {
    const { requestTimeout, pass } = requestLimit();
    const proxy = await badProxy(pass);
    const error = await rejection(clientOperations[name](clientOf({ requestTimeout })));
    expect(error).toMatchObject({ code: "DOCS_TIMEOUT", doubtful: false });
    expect(error.message).toContain(`the proxy ${proxy.host}`);
    expect(proxy.connects).toHaveLength(3);
  });

  it("if the proxy is down", async () => {
    const host = `127.0.0.1:${closedPort}`;
    useProxy(`http://me:s3cr3t@${host}`);
    const error = await rejection(clientOperations[name](clientOf()));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(error.message).toContain("got no answer: the connection was refused (ECONNREFUSED)");
    expect(error.message).toContain(`the proxy ${host} (HTTPS_PROXY, NO_PROXY)`);
    expect(error.message).not.toContain("s3cr3t");
  });

  it.each<[string, (client: net.Socket) => unknown]>([
    ["closes", (client) => client.end("HTTP/1.1 200 OK\r\n\r\n")],
    ["speaks before TLS", (client) => client.end("HTTP/1.1 200 OK\r\n\r\nhello, I am no TLS server")],
    ["is silent", (client) => client.write("HTTP/1.1 200 OK\r\n\r\n")],
  ])("where it opens the tunnel and %s before TLS stands", async (_, act) => {
    const proxy = await badProxy((client) => act(client));
    const error = await rejection(clientOperations[name](clientOf({ connectTimeout: 300 })));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION", doubtful: false });
    expect(error.message).toContain(proxy.host);
    expect(proxy.connects).toHaveLength(3);
  });

  it("the first tunnel that opens carries it, once", async () => {
    const server = await serveTls({}, good);
    await badProxy((client, before) => (before < 2 ? client.destroy() : tunnelTo(client, server.port)));
    await clientOperations[name](clientOf());
    expect(server.requests).toHaveLength(1);
  });

  it("a tunnel that breaks after it was sent makes it ambiguous", async () => {
    const server = await serveTls({}, (_, { socket }) => void (socket.destroyed || tunnels.at(-1)?.resetAndDestroy()));
    const tunnels: net.Socket[] = [];
    const proxy = await badProxy((client) => {
      tunnels.push(client);
      tunnelTo(client, server.port);
    });
    expect(await rejection(clientOperations[name](clientOf()))).toMatchObject({
      code: "DOCS_AMBIGUOUS_START",
      doubtful: true,
    });
    expect([server.requests.length, proxy.connects.length]).toEqual([1, 1]);
  });
});

it("a start arrives at most once, and is never told as not sent, wherever its tunnel breaks", async () => {
  let arrived = 0;
  const server = https.createServer(trustedServer, (incoming, response) => {
    incoming
      .on("error", () => {})
      .on("end", () => {
        arrived++;
        response.end(JSON.stringify(goodBody));
      });
    incoming.resume();
  });
  const { port } = await listen(server, "https");
  let cut = { from: "client", after: 0, resets: false };
  const proxy = await badProxy((client, before) =>
    before === tunnels ? breakingTunnel(client, port, cut) : tunnelTo(client, port),
  );
  let tunnels = 0;
  // Each generated cut ends the connection during the handshake, during the request or the answer, or after the answer.
  const cuts = fc.record({
    from: fc.constantFrom("client", "server"),
    after: fc.nat({ max: 2_000 }),
    resets: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cuts, async (drawn) => {
      [cut, arrived, tunnels] = [drawn, 0, proxy.connects.length];
      const error = await clientOperations.startExport(clientOf()).then(
        () => undefined,
        (fault: unknown) => fault,
      );
      if (error === undefined) {
        expect(arrived).toBe(1);
      } else {
        expect(error).toMatchObject({ code: "DOCS_AMBIGUOUS_START", doubtful: true });
        expect([arrived <= 1, proxy.connects.length - tunnels]).toEqual([true, 1]);
      }
    }),
    { seed: 43, numRuns: 60 },
  );
});

/** Makes a tunnel that breaks after the side `cut.from` has sent `cut.after` bytes. */
function breakingTunnel(client: net.Socket, port: number, cut: { from: string; after: number; resets: boolean }): void {
  const server = tunnelTo(client, port, false);
  const pass = (from: net.Socket, to: net.Socket, limit: number) => {
    let left = limit;
    from.on("data", (chunk: Buffer) => {
      to.write(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) {
        cut.resets ? client.resetAndDestroy() : client.end();
        server.destroySoon();
      }
    });
    from.on("close", () => to.end());
  };
  pass(client, server, cut.from === "client" ? cut.after : Number.POSITIVE_INFINITY);
  pass(server, client, cut.from === "server" ? cut.after : Number.POSITIVE_INFINITY);
}

it("a proxy that is reached by https is trusted by the same authorities", async () => {
  const server = await serveTls({}, good);
  const proxy = await serveTls({}, good);
  useProxy(proxy.url);
  const error = await rejection(clientOperations.startExport(clientOf()));
  // This server is no real proxy, so the request fails. The TLS handshake succeeds, so the error blames no certificate.
  expect(error.message).toContain(`the proxy 127.0.0.1:${proxy.port} `);
  expect(error.message).not.toContain("authority");
  const distrusted = await rejection(clientOperations.startExport(clientOf({ tls: noTls })));
  expect(distrusted.message).toContain("signed by an unknown authority");
  expect(server.requests).toHaveLength(0);
});
