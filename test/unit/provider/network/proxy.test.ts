import net from "node:net";
import { EnvHttpProxyAgent } from "undici";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { proxyFor, proxyProblem } from "../../../../provider/network/proxy";
import { listen } from "../../../support/loopback";

const corp = "http://proxy.corp:3128";
const to = (address: string, environment: NodeJS.ProcessEnv) => proxyFor(new URL(address), environment)?.host;

describe("the proxy on the way", () => {
  it.each([
    [{ HTTPS_PROXY: corp }, "proxy.corp:3128"],
    [{ https_proxy: corp }, "proxy.corp:3128"],
    [{ HTTP_PROXY: corp }, "proxy.corp:3128"],
    [{ https_proxy: corp, HTTPS_PROXY: "http://other.corp" }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: corp, http_proxy: "http://other.corp" }, "proxy.corp:3128"],
    [{ https_proxy: " ", HTTPS_PROXY: corp }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: "proxy.corp:3128" }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: "http://proxy.corp" }, "proxy.corp:80"],
    [{ HTTPS_PROXY: "https://user:p%40ss@proxy.corp/" }, "proxy.corp:443"],
    [{ HTTPS_PROXY: "http://[::1]:3128" }, "[::1]:3128"],
    [{ HTTPS_PROXY: "" }, undefined],
    [{}, undefined],
  ])("is named by %j", (environment, host) => {
    expect(to("https://api.example.com", environment)).toBe(host);
  });

  it("gets user and password decoded, also a user without a password, and shows neither", () => {
    const named = (text: string) => proxyFor(new URL("https://a.test"), { HTTPS_PROXY: text });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    expect(named("http://me:p%40ss%3A@proxy.corp")).toMatchObject({
      authorization: basic("me:p@ss:"),
      host: "proxy.corp:80",
    });
    expect(named("http://me@proxy.corp")?.authorization).toBe(basic("me:"));
    expect(named(corp)?.authorization).toBeUndefined();
  });

  it.each([
    ...["https://localhost", "http://127.0.0.1:8080", "https://127.9.9.9", "https://[::1]", "https://a.localhost"],
    ...["https://localhost.", "https://[::ffff:127.0.0.1]", "https://0.0.0.0"],
  ])("is none to %s, whatever NO_PROXY says", (address) => {
    expect(to(address, { HTTPS_PROXY: corp, HTTP_PROXY: corp, NO_PROXY: "example.com" })).toBeUndefined();
  });

  it.each(["socks5://s3cr3t@proxy.corp", "http://", "proxy corp", "ftp://proxy.corp", "http://u:%zz@proxy.corp"])(
    "is told by the variable's name, and not by its value, where it is none: %s",
    (text) => {
      const problem = proxyProblem(new URL("https://a.test"), { https_proxy: text });
      expect(problem).toContain("https_proxy in the environment is not the address of a proxy");
      expect(problem).not.toMatch(/s3cr3t|corp|%zz/);
      expect(proxyProblem(new URL("http://127.0.0.1"), { https_proxy: text })).toBeUndefined();
      expect(proxyProblem(new URL("https://a.test"), { https_proxy: text, NO_PROXY: "a.test" })).toBeUndefined();
    },
  );
});

describe("NO_PROXY excepts what undici's own EnvHttpProxyAgent excepts", () => {
  const connects: string[] = [];
  let proxy = "";
  beforeEach(async () => {
    connects.length = 0;
    const server = net.createServer((socket) =>
      socket
        .on("error", () => {})
        .once("data", (head) => {
          connects.push(String(head));
          // If the connection closes instead, undici's agent asks again without end.
          socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        }),
    );
    const { port } = await listen(server);
    proxy = `http://127.0.0.1:${port}`;
  });
  afterEach(() => void vi.unstubAllEnvs());

  const lists = [
    ...["*", "example.com", ".example.com", "*.example.com", "api.example.com", "API.Example.COM", "ample.com"],
    ...["other.test,example.com", "other.test example.com", "other.test , api.example.com:8443", "example.com:443"],
    ...["example.com:444", "com", "10.0.0.1", "*,example.org", ",", " ", "*:443", "*:444", "."],
    ...["example.com.", "*.example.com:8443", "fd00::10", "[fd00::10]", "[fd00::10]:443", "[fd00::10]:444", "::10"],
  ];
  const addresses = [
    ...["https://api.example.com", "https://example.com", "https://api.example.com:8443", "https://10.0.0.1"],
    ...["https://example.com.evil.test", "https://example.com.", "https://[fd00::10]", "https://[fd00::10]:8443"],
  ];

  it.each(lists)("%j", async (list) => {
    for (const name of ["https_proxy", "http_proxy", "HTTP_PROXY", "HTTPS_PROXY"]) {
      vi.stubEnv(name, undefined);
    }
    for (const address of addresses) {
      connects.length = 0;
      const connect = (_: unknown, callback: (error: Error, socket: null) => void) =>
        callback(new Error("direct"), null);
      const agent = new EnvHttpProxyAgent({ httpsProxy: proxy, noProxy: list, connect });
      await agent.request({ origin: address, method: "GET", path: "/" }).catch(() => {});
      await agent.destroy();
      const ours = proxyFor(new URL(address), { HTTPS_PROXY: proxy, NO_PROXY: list });
      expect(ours !== undefined, `${address} with ${list}`).toBe(connects.length > 0);
    }
  });
});

describe("NO_PROXY excepts the addresses of a range, as curl and Go do, where undici knows none", () => {
  it.each([
    ["10.0.0.0/8", ["https://10.9.8.7", "https://10.0.0.1:8443"], ["https://11.0.0.1", "https://[fd00::10]"]],
    ["fd00::/8", ["https://[fd00::10]", "https://[fdff::1]:8443"], ["https://[fe80::1]", "https://10.0.0.1"]],
    ["[fd00::]/8", ["https://[fd00::10]"], ["https://[fe80::1]"]],
    ["192.168.0.0/16,10.1.2.3/32", ["https://10.1.2.3", "https://192.168.7.7"], ["https://10.1.2.4"]],
    ["10.0.0.0/33", [], ["https://10.0.0.0", "https://10.0.0.1"]],
    ["10.0.0.0/", [], ["https://10.0.0.1"]],
    ["10.0.0.0/x", [], ["https://10.0.0.1"]],
    ["example.com/8", [], ["https://example.com"]],
    ["0.0.0.0/0", ["https://10.0.0.1"], ["https://example.com", "https://[fd00::10]"]],
  ])("%s", (list, direct, proxied) => {
    const reached = (address: string) => to(address, { HTTPS_PROXY: corp, NO_PROXY: list });
    expect(direct.map(reached)).toEqual(direct.map(() => undefined));
    expect(proxied.map(reached)).toEqual(proxied.map(() => "proxy.corp:3128"));
  });
});
