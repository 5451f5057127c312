import { describe, expect, it } from "vitest";
import { createLinkAddressPolicy, requireAllowedLinkAddress } from "../../../../provider/network/linkAddress";
import { ForbiddenLinkAddressError } from "../../../../provider/support/errors";
import { clientFor, goodBody, never, rejection } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const here = "http://127.0.0.1:8080";
const elsewhere = "https://api.example.com";
const takes = (link: string, baseUrl: string) => {
  try {
    requireAllowedLinkAddress(new URL(link), createLinkAddressPolicy({ baseUrl }));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ForbiddenLinkAddressError);
    return false;
  }
};

const linkLocal = [
  ...["https://169.254.169.254/x", "http://169.254.169.254/latest/meta-data/", "https://169.254.0.1:8443/x"],
  ...["https://2852039166/x", "https://0xa9fea9fe/x", "https://0xa9.0xfe.0xa9.0xfe/x", "https://0251.0376.0251.0376/x"],
  ...["https://169.254.43518/x", "https://169.254.169.254./x", "https://%31%36%39.254.169.254/x"],
  ...["https://[::ffff:169.254.169.254]/x", "https://[::ffff:a9fe:a9fe]/x", "https://[0:0:0:0:0:ffff:a9fe:a9fe]/x"],
  ...["https://[fe80::1]/x", "https://[febf:ffff::1]/x"],
];
/** Addresses of metadata services. Some are IPv6 addresses that contain an IPv4 address (NAT64, 6to4, Teredo). */
const services = [
  ...["https://[fd00:ec2::254]/x", "https://[fd20:ce::254]/x", "https://100.100.100.200/x", "https://168.63.129.16/x"],
  ...["https://[64:ff9b::a9fe:a9fe]/x", "https://[64:ff9b::169.254.169.254]/x", "https://[64:ff9b:1::a9fe:a9fe]/x"],
  ...["https://[2002:a9fe:a9fe::1]/x", "https://[64:ff9b::7f00:1]/x", "https://[2001:0:1::5601:5601]/x"],
  "https://[::ffff:100.100.100.200]/x",
];
const plainLoopback = [
  "http://127.0.0.1/x",
  "http://127.0.0.2:9000/x",
  "http://localhost/x",
  "http://[::1]/x",
  "http://2130706433/x",
];
const otherLoopback = [
  ...[
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://LOCALHOST./x",
    "https://files.localhost/x",
    "https://[::1]/x",
  ],
  ...[
    "https://2130706433/x",
    "https://0177.0.0.1/x",
    "https://0x7f.1/x",
    "https://127.1/x",
    "https://[::ffff:127.0.0.1]/x",
  ],
  ...["https://0.0.0.0/x", "https://0/x", "https://[::]/x"],
];
const outside = [
  ...["https://files.example.com/x", "https://files.example.com:8443/x", "https://10.0.0.7/x", "https://192.168.1.1/x"],
  ...["https://[2001:db8::1]/x", "https://[fd00::7]/x", "https://localhost.example.com/x", "https://169.253.1.1/x"],
];
const plain = [
  ...["http://files.example.com/x", "http://10.0.0.7/x", "http://localhost.example.com/x", "http://0.0.0.0/x"],
  ...["http://[::ffff:127.0.0.1]/x", "ftp://files.example.com/x", "file:///etc/passwd"],
];

describe("a link of a platform", () => {
  it.each(linkLocal)("never leads to a link-local address: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([false, false]);
  });

  it.each(services)("never leads to services of a machine, nor by an address that holds another one: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([false, false]);
  });

  it.each(plainLoopback)("is plain http to this machine only where the platform is on it: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([false, true]);
  });

  it.each(otherLoopback)("leads to this machine only where the platform is on it: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([false, true]);
  });

  it.each(outside)("leads to every other place by https: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([true, true]);
  });

  it.each(plain)("never leads to another machine by anything but https: %s", (link) => {
    expect([takes(link, elsewhere), takes(link, here)]).toEqual([false, false]);
  });
});

describe("a link that leads elsewhere", () => {
  it.each(["http://files.example.com/x?sig=s3cr3t", "https://169.254.169.254/x?sig=s3cr3t"])(
    "is refused at the mint, without its path and its signature: %s",
    async (bundleUrl) => {
      const server = await serve(answer(200, { ...goodBody, bundleUrl }));
      const { message } = await rejection(clientFor(server.url).createBundle("job-1", { signal: never }));
      expect(message).toMatch(/^DOCS_LINK_ADDRESS: the link points to /);
      expect(message).toContain(new URL(bundleUrl).host);
      expect(message).not.toMatch(/s3cr3t|\/x/);
    },
  );

  it("is asked for by no verifyLink, also where the state holds one of an earlier run", async () => {
    const storage = await serve(answer(206, "x"));
    const probe = (baseUrl: string) => clientFor(baseUrl).checkLink(`${storage.url}/x`, { signal: never });
    expect(await rejection(probe(elsewhere))).toBeInstanceOf(ForbiddenLinkAddressError);
    expect(storage.connections).toBe(0);
    expect(await probe(here)).toBe(206);
  });
});
