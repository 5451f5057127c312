import { win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDestination } from "../../../../provider/storage/destination";

function problemOf(text: string): string {
  const parsed = parseDestination(text);
  return "problem" in parsed ? parsed.problem : "";
}

describe("a destination in a folder", () => {
  it.each([
    ["file:///srv/docs", "/srv/docs"],
    ["file:///srv/docs/", "/srv/docs"],
    ["FILE:///srv/docs", "/srv/docs"],
    ["file:///srv/my%20docs/100%25", "/srv/my docs/100%"],
    ["file:///srv/my docs", "/srv/my docs"],
    ["file:///srv/..docs/a..b", "/srv/..docs/a..b"],
  ])("%s is %s", (text, folder) => {
    expect(parseDestination(text)).toEqual({ kind: "file", folder });
  });
});

describe("a destination in a folder of Windows", () => {
  it.each([
    ["file:///C:/docs", "C:\\docs"],
    ["file:///c:/docs/site/", "c:\\docs\\site"],
    ["file:///D:/my%20docs/100%25", "D:\\my docs\\100%"],
  ])("%s is %s", (text, folder) => {
    expect(parseDestination(text, true)).toEqual({ kind: "file", folder });
    expect(win32.isAbsolute(folder)).toBe(true);
  });

  it.each([
    ["file:///srv/docs", "names no drive: give file:///C:/folder"],
    ["file:///C:", "names no folder: give one below C:"],
    ["file:///C:/", "names no folder: give one below C:"],
    ["file:///C:/docs/..", 'must not contain "." or ".." in its path'],
    ["file:///C:/docs%5Cother", "has a slash, a backslash or a control character in a name of its path"],
    ["file://server/share", expect.stringContaining("is not an absolute address")],
  ])("is refused: %s", (text, problem) => {
    expect(parseDestination(text, true)).toEqual({ problem });
  });
});

describe("a destination in a bucket", () => {
  it.each([
    ["s3://docs", { prefix: "" }],
    ["s3://docs/", { prefix: "" }],
    ["s3://docs/a/b", { prefix: "a/b/" }],
    ["s3://docs/a/b/", { prefix: "a/b/" }],
    ["s3://docs/a%20b", { prefix: "a b/" }],
    ["s3://docs?region=eu-central-1", { prefix: "", region: "eu-central-1" }],
    ["s3://docs/a?endpoint=https://s3.example.com/", { prefix: "a/", endpoint: "https://s3.example.com" }],
    [
      "s3://docs/a?region=x-1&endpoint=http%3A%2F%2F127.0.0.1%3A9000",
      { prefix: "a/", region: "x-1", endpoint: "http://127.0.0.1:9000" },
    ],
    ["s3://docs?endpoint=http://localhost:9000", { prefix: "", endpoint: "http://localhost:9000" }],
    ["s3://docs?endpoint=http://[::1]:9000", { prefix: "", endpoint: "http://[::1]:9000" }],
  ])("%s is read with its prefix and parameters", (text, expected) => {
    expect(parseDestination(text)).toEqual({
      kind: "s3",
      bucket: "docs",
      region: undefined,
      endpoint: undefined,
      ...expected,
    });
  });
});

describe("a destination in Azure Blob Storage", () => {
  it.each([
    ["azblob://docs1/site", { container: "site", prefix: "" }],
    ["azblob://docs1/site/a/b/", { container: "site", prefix: "a/b/" }],
    ["AZBLOB://docs1/$web", { container: "$web", prefix: "" }],
    ["azblob://docs1/my-site/a%20b", { container: "my-site", prefix: "a b/" }],
    [
      "azblob://docs1/site?endpoint=https://docs1.blob.core.example/",
      { container: "site", prefix: "", endpoint: "https://docs1.blob.core.example" },
    ],
    [
      "azblob://docs1/site?endpoint=http%3A%2F%2F127.0.0.1%3A10000%2Fdocs1",
      { container: "site", prefix: "", endpoint: "http://127.0.0.1:10000/docs1" },
    ],
  ])("%s is read with its container and prefix", (text, expected) => {
    expect(parseDestination(text)).toEqual({ kind: "azblob", account: "docs1", endpoint: undefined, ...expected });
  });
});

describe("a destination in an image layout", () => {
  it("is read with its folder", () => {
    expect(parseDestination("oci-layout:///media/my%20disk/docs/")).toEqual({
      kind: "oci-layout",
      folder: "/media/my disk/docs",
    });
  });

  it.each([
    ["oci-layout://docs", expect.stringContaining("is not an absolute address")],
    ["oci-layout:///", "names no folder: give one below /"],
    ["oci-layout:///docs?plainHttp=true", "must not contain a query: a folder has no parameters"],
    ["oci-layout:///docs/..", 'must not contain "." or ".." in its path'],
  ])("is refused: %s", (text, problem) => {
    expect(parseDestination(text)).toEqual({ problem });
  });
});

describe("a destination in a registry", () => {
  it.each([
    ["oci://registry.example.com/docs", "registry.example.com", "docs", false],
    ["oci://registry.example.com:5000/team/my-docs_1.x/", "registry.example.com:5000", "team/my-docs_1.x", false],
    ["OCI://Registry.Example.com/docs", "registry.example.com", "docs", false],
    ["oci://registry/docs?plainHttp=false", "registry", "docs", false],
    ["oci://127.0.0.1:5000/docs?plainHttp=true", "127.0.0.1:5000", "docs", true],
    ["oci://localhost/docs?plainHttp=true", "localhost", "docs", true],
    ["oci://[::1]:5000/docs?plainHttp=true", "[::1]:5000", "docs", true],
  ])("%s is read with its repository", (text, registry, repository, plainHttp) => {
    expect(parseDestination(text)).toEqual({ kind: "oci", registry, repository, plainHttp });
  });
});

describe("a destination is refused", () => {
  it.each(["https://example.com/docs", "gs://docs/a", "ftp://x/y", "javascript:alert(1)"])(
    "for its unknown scheme: %s",
    (text) => {
      expect(problemOf(text)).toMatch(/^has the scheme \S+, which is not known: give file:\/\/\//);
    },
  );

  it.each(["docs", "./docs", "../docs", "/srv/docs", "", "~/docs", "//srv/docs", "C:\\docs", "C:/docs"])(
    "for being a path without a scheme: %j",
    (text) => {
      expect(problemOf(text)).toContain("is a path without a scheme");
    },
  );

  it.each(["file:docs", "file:./docs", "file://docs", "file://host/docs", "file:/srv/docs", "s3:docs", "s3:///docs"])(
    "for being relative, or on another machine: %s",
    (text) => {
      expect(problemOf(text)).toContain("is not an absolute address");
    },
  );

  it.each([
    "file:///srv/../etc",
    "file:///srv/..",
    "file:///..",
    "file:///srv/./docs",
    "file:///srv/%2e%2e/etc",
    "file:///srv/.%2E/etc",
    "s3://docs/../other",
    "s3://docs/a/..",
    "s3://docs/%2e%2e/a",
    "s3://docs/a/.?region=x",
  ])("for a step back in its path: %s", (text) => {
    expect(problemOf(text)).toContain('must not contain "." or ".."');
  });

  it.each([
    "s3://AKIAEXAMPLE:s3cr3t@docs/a",
    "s3://s3cr3t@docs/a",
    "s3://docs/a?aws_secret_access_key=s3cr3t",
    "s3://docs/a?AWSAccessKeyId=s3cr3t&region=x",
    "s3://docs/a?s3cr3t",
    "s3://docs/a?profile=s3cr3t",
    "s3://docs/a?endpoint=https://key:s3cr3t@s3.example.com",
    "s3://docs/a?endpoint=https://s3.example.com?key=s3cr3t",
    "s3://docs/a?region=s3cr3t!",
    "azblob://docs1:s3cr3t@site/a",
    "azblob://docs1/site?sig=s3cr3t",
    "azblob://docs1/site?sv=2026-01-01&sp=rl&sig=s3cr3t",
    "azblob://docs1/site?endpoint=https://docs1.example.com?sig=s3cr3t",
    "oci://robot:s3cr3t@registry.example.com/docs",
    "oci://s3cr3t@registry.example.com/docs",
    "oci://registry.example.com/docs?password=s3cr3t",
    "oci://registry.example.com/docs?plainHttp=s3cr3t",
  ])("for credentials, which are not told again: %s", (text) => {
    expect(problemOf(text)).not.toBe("");
    expect(problemOf(text)).not.toContain("s3cr3t");
  });

  it.each([
    ["file:///", "names no folder"],
    ["file:///srv/docs?x=1", "must not contain a query"],
    ["file:///srv/docs#a", "must not contain a fragment"],
    ["s3://docs/a#b", "must not contain a fragment"],
    ["file:///srv//docs", "an empty name"],
    ["s3://docs//a", "an empty name"],
    ["file:///srv/a%2Fb", "a slash"],
    ["file:///srv/a%00b", "a control character"],
    ["file:///srv/a\\b", "a backslash"],
    ["file:///srv/100%", "a % that does not begin an escape"],
    ["s3://Docs/a", "names no bucket"],
    ["s3://do/a", "names no bucket"],
    ["s3://docs:9000/a", "names no bucket"],
    ["s3://docs?region=a&region=b", "has a parameter twice"],
    ["s3://docs?region=", "has an invalid region"],
    ["s3://docs?sse=kms", "has an unknown sse: give AES256, aws:kms, aws:kms:dsse"],
    ["s3://docs?kmsKeyId=alias/docs", "has kmsKeyId without sse=aws:kms"],
    ["s3://docs?sse=AES256&kmsKeyId=alias/docs", "has an invalid kmsKeyId"],
    ["s3://docs?sse=aws:kms&kmsKeyId=a%20b", "has an invalid kmsKeyId"],
    ["s3://docs?endpoint=s3.example.com", "has an endpoint that is not a URL"],
    ["s3://docs?endpoint=http://s3.example.com", "plain http, which is allowed only for a loopback address"],
    ["s3://docs?endpoint=http://127.0.0.1.example.com", "plain http, which is allowed only for a loopback address"],
    ["azblob://docs1", "names no container"],
    ["azblob://docs1/Site", "names no container"],
    ["azblob://docs1/a--b", "names no container"],
    ["azblob://site?storage_account=docs1", "names no container"],
    ["azblob://my-docs/site", "names no storage account"],
    ["azblob://docs1:443/site", "names no storage account"],
    ["azblob://docs1/site/../other", 'must not contain "." or ".."'],
    ["azblob://docs1/site?region=x", "accepts only the parameter endpoint"],
    [
      "azblob://docs1/site?endpoint=http://docs1.example.com",
      "plain http, which is allowed only for a loopback address",
    ],
    ["oci:///docs", "is not an absolute address"],
    ["oci://registry.example.com", "names no repository"],
    ["oci://registry.example.com/Docs", "names no repository"],
    ["oci://registry.example.com/docs//a", "an empty name"],
    ["oci://registry.example.com/a/../docs", 'must not contain "." or ".."'],
    ["oci://registry.example.com/docs:v1", "has a tag or a digest"],
    [`oci://registry.example.com/docs@sha256:${"a".repeat(64)}`, "has a tag or a digest"],
    ["oci://registry.example.com/docs#a", "must not contain a fragment"],
    ["oci://registry.example.com/docs?insecure=true", "accepts only the parameter plainHttp=true"],
    ["oci://registry.example.com/docs?plainHttp=true&plainHttp=true", "accepts only the parameter plainHttp=true"],
    ["oci://registry.example.com/docs?plainHttp=true", "only for a registry at a loopback address"],
    ["oci://127.0.0.1.example.com/docs?plainHttp=true", "only for a registry at a loopback address"],
  ])("%s: %s", (text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });
});
