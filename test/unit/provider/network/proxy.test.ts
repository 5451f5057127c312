import { describe, expect, it } from "vitest";
import { findProxyForAddress, proxyProblem } from "../../../../provider/network/proxy";

const corp = "http://proxy.corp:3128";
const to = (address: string, environment: NodeJS.ProcessEnv) =>
  findProxyForAddress(new URL(address), environment)?.address.host;

describe("the proxy on the way", () => {
  it.each([
    [{ HTTPS_PROXY: corp }, "proxy.corp:3128"],
    [{ https_proxy: corp }, "proxy.corp:3128"],
    [{ HTTP_PROXY: corp }, "proxy.corp:3128"],
    [{ https_proxy: corp, HTTPS_PROXY: "http://other.corp" }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: corp, http_proxy: "http://other.corp" }, "proxy.corp:3128"],
    [{ https_proxy: " ", HTTPS_PROXY: corp }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: "proxy.corp:3128" }, "proxy.corp:3128"],
    [{ HTTPS_PROXY: "http://proxy.corp" }, "proxy.corp"],
    [{ HTTPS_PROXY: "https://user:p%40ss@proxy.corp/" }, "proxy.corp"],
    [{ HTTPS_PROXY: "http://[::1]:3128" }, "[::1]:3128"],
    [{ HTTPS_PROXY: "" }, undefined],
    [{}, undefined],
  ])("is named by %j", (environment, host) => {
    expect(to("https://api.example.com", environment)).toBe(host);
  });

  it.each([
    ...["https://localhost", "http://127.0.0.1:8080", "https://127.9.9.9", "https://[::1]", "https://a.localhost"],
    ...["https://localhost.", "https://[::ffff:127.0.0.1]", "https://0.0.0.0"],
  ])("is none to %s, whatever NO_PROXY says", (address) => {
    expect(to(address, { HTTPS_PROXY: corp, HTTP_PROXY: corp, NO_PROXY: "example.com" })).toBeUndefined();
  });

  it.each([
    ...["socks5://s3cr3t@proxy.corp", "http://", "proxy corp", "ftp://proxy.corp", "http://u:%zz@proxy.corp"],
    // An unescaped `#`, `?` or `/` in a password ends the host part. The user's name would then be read as the host.
    ...["http://u:12#s3cr3t@proxy.corp:3128", "http://u:12?s3cr3t@proxy.corp", "http://u:12/s3cr3t@proxy.corp"],
    ...[
      "http://u:12\\s3cr3t@proxy.corp",
      "u:12#s3cr3t@proxy.corp:3128",
      "http://proxy.corp/path",
      "http://proxy.corp?",
    ],
  ])("is reported by the variable's name, and not by its value, where it is none: %s", (text) => {
    const problem = proxyProblem(new URL("https://a.test"), { https_proxy: text });
    expect(problem).toContain("https_proxy in the environment is not the address of a proxy");
    expect(problem).not.toMatch(/s3cr3t|corp|%zz/);
    expect(proxyProblem(new URL("http://127.0.0.1"), { https_proxy: text })).toBeUndefined();
  });
});
