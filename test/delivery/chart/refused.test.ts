import { expect, it } from "vitest";
import schema from "../../../charts/docs-site/values.schema.json";
import { chart, helm } from "./helm";
import { externalSecret, image, link, signed } from "./values";
import { withEachHelm } from "./withEachHelm";

const { bundleUrl: _, ...noLink } = link;
const secret = { ...noLink, existingSecret: "my-link" };
const needed = schema.required.filter((name) => name !== "staticExport");
const linkRule = "staticExport.bundleUrl must be an https link without user name";

withEachHelm("values that %s (built with go) refuses, by the chart's word", () => {
  it.each<[string, object, string]>([
    ["an unknown key of staticExport", { staticExport: { ...link, bundleURL: "x" } }, "'bundleURL' not allowed"],
    ["an unknown key", { staticExport: link, replicaCount: 2 }, "'replicaCount' not allowed"],
    [
      "enabled as text",
      { staticExport: { ...link, enabled: "true" } },
      "/staticExport/enabled': got string, want boolean",
    ],
    ["a version of two lines", { staticExport: { ...link, version: "a\nb" } }, "/staticExport/version'"],
    ["no link", { staticExport: noLink }, "/staticExport/bundleUrl': minLength"],
    ["a link and a Secret", { staticExport: { ...link, ...secret } }, "'oneOf' failed"],
    ["a short sha256", { staticExport: { ...link, sha256: "abc" } }, "/staticExport/sha256'"],
    [
      "a Secret of no possible name",
      { staticExport: { ...secret, existingSecret: "My_Link" } },
      "/staticExport/existingSecret'",
    ],
    ["an image and a link", { staticExport: { ...link, ...image } }, "'oneOf' failed"],
    ["an image and a sha256", { staticExport: { ...image, sha256: "a".repeat(64) } }, "/staticExport/sha256'"],
    ["an image without digest", { staticExport: { ...image, image: "example.com/docs:1" } }, "/staticExport/image'"],
    ...["", "a\n  hostNetwork: true", `a${"b".repeat(253)}`].map((name): [string, object, string] => [
      `a pull secret of no possible name (${JSON.stringify(name).slice(0, 30)})`,
      { staticExport: link, imagePullSecrets: [name] },
      "/imagePullSecrets/0'",
    ]),
    [
      "an invalid digest",
      { staticExport: link, images: { fetch: "curl@sha256:abc", server: "nginx:1" } },
      "/images/fetch'",
    ],
    [
      "an image of two lines",
      { staticExport: link, images: { fetch: "curl:1", server: "nginx:1\nx" } },
      "/images/server'",
    ],
    ...["docs", "/docs/", "/", "/a b", "/../docs", "/docs?x", "/d{2}", "/docs//de"].map(
      (basePath): [string, object, string] => [
        `the base path ${basePath}`,
        { staticExport: link, basePath },
        "/basePath'",
      ],
    ),
    ["an Ingress without a host", { staticExport: link, ingress: { enabled: true } }, "/ingress/hosts'"],
    [
      "a host of no possible name",
      { staticExport: link, ingress: { enabled: true, hosts: ["https://docs.example.com"] } },
      "/ingress/hosts/0'",
    ],
    ["a route without a Gateway", { staticExport: link, httpRoute: { enabled: true } }, "/httpRoute/parentRefs'"],
    [
      "two rules for disruptions",
      { staticExport: link, disruptionBudget: { minAvailable: 1, maxUnavailable: 1 } },
      "/disruptionBudget'",
    ],
    ["a name in other letters", { staticExport: link, fullnameOverride: "Docs" }, "/fullnameOverride'"],
    ["a name that begins with a digit", { staticExport: link, fullnameOverride: "1docs" }, "/fullnameOverride'"],
    [
      "nothing where a value is needed",
      { staticExport: link, ...Object.fromEntries(needed.map((name) => [name, null])) },
      `missing properties ${needed.map((name) => `'${name}'`).join(", ")}`,
    ],
    [
      "no resources of a container",
      { staticExport: link, resources: { fetch: null, server: null } },
      "missing properties 'fetch', 'server'",
    ],
    [
      "nothing as the hosts of an Ingress",
      { staticExport: link, ingress: { enabled: true, hosts: null } },
      "missing property 'hosts'",
    ],
    ["a volume without name", { staticExport: link, extraVolumes: [{ emptyDir: {} }] }, "/extraVolumes/0'"],
    ["a page that is no path", { staticExport: link, probePath: "index.html" }, "/probePath'"],
    ["a port out of range", { staticExport: link, servicePort: 70_000 }, "/servicePort'"],
    ["External Secrets and a link", { staticExport: { ...externalSecret, ...link } }, "'oneOf' failed"],
    [
      "External Secrets with a step of a path",
      { staticExport: { ...externalSecret, version: ".." } },
      "/staticExport/version'",
    ],
    ["External Secrets without a job", { staticExport: { ...externalSecret, version: "" } }, "/staticExport/version'"],
    [
      "External Secrets without a key",
      { staticExport: { ...externalSecret, externalSecret: { baseUrl: "https://a.example" } } },
      "missing property 'keySecret'",
    ],
    ...["http://api.example.com", "http://127.0.0.1.example.com", "https://a:b@example.com"].map(
      (baseUrl): [string, object, string] => [
        `External Secrets that send the key to ${baseUrl}`,
        { staticExport: { ...externalSecret, externalSecret: { baseUrl, keySecret: "platform-key" } } },
        "/staticExport/externalSecret/baseUrl'",
      ],
    ),
    ["plain http", { staticExport: { ...link, bundleUrl: link.bundleUrl.replace("https", "http") } }, linkRule],
    ["a link with a password", { staticExport: { ...link, bundleUrl: "https://a:b@example.com/x" } }, linkRule],
    ["a link with a quote", { staticExport: { ...link, bundleUrl: `${link.bundleUrl}"` } }, linkRule],
    [
      "a host that only begins as loopback",
      { staticExport: { ...link, bundleUrl: "http://127.0.0.1.example.com/x" } },
      linkRule,
    ],
  ])("%s", async (_, values, reason) => {
    const { code, stdout, stderr } = await helm(["template", "docs", chart], values);
    expect(stderr).toContain(reason);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain(signed);
  });

  it.each([
    ["a link to a loopback address", { ...link, bundleUrl: "http://127.0.0.1:8080/job-1.tar.gz" }],
    ["a Secret that is there", secret],
    ["an image of a registry with a port", { ...image, image: image.image.replace(".com/", ".com:5000/") }],
    ["a Secret with dots in its name", { ...secret, existingSecret: "my.link-1" }],
    ["a link without version", { ...link, version: undefined }],
    ["an image without version", { ...image, version: undefined }],
    ["an empty version", { ...link, version: "" }],
    ["a version of letters beyond ASCII", { ...link, version: "1.0 – März" }],
    ["exactly what helmValues makes while it is not enabled", { enabled: false }],
  ])("but accepts %s", async (_, staticExport) => {
    expect(await helm(["template", "docs", chart], { staticExport })).toMatchObject({ code: 0, stderr: "" });
  });
});
