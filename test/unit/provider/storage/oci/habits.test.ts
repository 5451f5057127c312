import type http from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { rejection } from "../../../../support/clientUnderTest";
import type { WorldSettings } from "../../../../support/fakePlatform";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { type RegistryHabit, scriptedRegistry } from "../../../../support/mirror/scriptedRegistry";
import { keyForTest } from "../../../../support/mirror/signatures";
import { gzipLike, storageReply } from "../../../../support/mirror/storage";
import { throwingLifecycles } from "../../../../support/throwingLifecycles";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

/* The tests check the requests and exact texts that bundleMirror.ends.test.ts does not check. */

const bytes = gzipSync(gzipLike(100_000));
const token = "Bearer token-of-the-test";

const challenge = (response: http.ServerResponse, ...header: string[]) => {
  response.writeHead(401, { "www-authenticate": header });
  response.end('{"errors":[{"code":"UNAUTHORIZED"}]}');
};
const refusal = (response: http.ServerResponse, status: number, code: string) => {
  response.writeHead(status);
  response.end(JSON.stringify({ errors: [{ code }] }));
};

describe("a registry that", () => {
  async function worldOf(habit: RegistryHabit, content: Buffer = bytes, settings: WorldSettings = {}) {
    const registry = await scriptedRegistry(habit);
    const world = await mirrorWorld([storageReply(content)], settings);
    return { registry, world, destination: `oci://${registry.host}/team/docs?plainHttp=true` };
  }

  it("deletes nothing is reported, and belongs to no mirror then", async () => {
    const { registry, world, destination } = await worldOf({
      answer: ({ method }, response) => method === "DELETE" && refusal(response, 405, "UNSUPPORTED"),
    });
    const state = await mirrored(world, { destination });
    const warnings: string[] = [];
    await destroyMirror(state, { warn: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining("does not allow the deletion")]);
    expect((await mirrored(world, { destination })).digest).toBe(state.digest);
    expect(registry.tags.size).toBe(2);
  });

  describe("accepts only the types of images (GitLab, Quay)", () => {
    const accepted = ["manifest", "index", "config"].map((part) => `application/vnd.oci.image.${part}.v1+json`);
    const types = (body: Buffer): (string | undefined)[] => {
      const { mediaType, artifactType, config, layers = [] } = JSON.parse(body.toString());
      return [
        mediaType,
        artifactType ?? config?.mediaType ?? accepted[0],
        ...layers.map((layer: { mediaType: string }) => layer.mediaType),
      ];
    };
    const strict: RegistryHabit = {
      answer: ({ method, url = "" }, response, _, __, body) =>
        method === "PUT" &&
        url.includes("/manifests/") &&
        types(body).some(
          (type) => ![...accepted, "application/vnd.oci.image.layer.v1.tar+gzip"].includes(type ?? ""),
        ) &&
        refusal(response, 400, "MANIFEST_INVALID"),
    };

    it("has a mirror of layout site, whose record is an image, too", async () => {
      const { registry, world, destination } = await worldOf(
        strict,
        await archiveWith("tar.gz", [["index.html", "x"]]),
      );
      const state = await mirrored(world, { destination, layout: "site" });
      expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
      await destroyMirror(state, { warn: (text) => expect.fail(text) });
      expect(registry.tags.size).toBe(0);
    });

    it("refuses a signature before the transfer, at the first run with a key, by an error that names its types", async () => {
      const { source: signingKey } = keyForTest();
      const site = await archiveWith("tar.gz", [["index.html", "x"]]);
      const { registry, world, destination } = await worldOf(strict, site, { signingKey });
      const inputs = { destination, layout: "site" as const };
      const expectRefusal = async () => {
        const [sent, tags] = [registry.requests.length, new Map(registry.tags)];
        const { message } = await rejection(mirrored(world, { ...inputs, sign: "bundle" }));
        expect(message).toContain("application/vnd.dev.sigstore.bundle.v0.3+json");
        expect(message).toContain('or use layout "site" without a ');
        expect(registry.requests.slice(sent).filter((request) => request.startsWith("PATCH"))).toEqual([]);
        expect(registry.tags).toEqual(tags);
      };
      await expectRefusal();
      await mirrored(world, { ...inputs, sign: "none" });
      await expectRefusal();
    });

    it("refuses an archive before its transfer, by an error that names the types", async () => {
      const { registry, world, destination } = await worldOf(strict);
      const error = await rejection(mirrored(world, { destination }));
      expect(error.message).toContain("MANIFEST_INVALID, HTTP 400, the registry refuses a manifest with the types ");
      expect(error.message).toContain("application/vnd.pulumi-docs-platform.bundle.v1");
      expect(error.message).toContain('or use layout "site"');
      expect(registry.requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
      expect(registry.tags.size).toBe(0);
    });
  });

  it.each([
    ["401 after a login (Quay)", 401, "UNAUTHORIZED"],
    ["403 (Google, GitHub)", 403, "DENIED"],
    ["404 (Amazon ECR)", 404, "NAME_UNKNOWN"],
  ])("answers %s for a repository that is not there yet is named before the transfer", async (_, status, code) => {
    const { registry, world, destination } = await worldOf(
      { answer: ({ method }, response) => method !== "GET" && method !== "HEAD" && refusal(response, status, code) },
      await archiveWith("tar.gz", [["index.html", "x"]]),
    );
    for (const layout of ["archive", "site"] as const) {
      // This sha256 is wrong, so the provider would refuse the archive if it read the archive to the end.
      const expectedSha256 = "0".repeat(64);
      const { message } = await rejection(mirrored(world, { destination, layout, expectedSha256 }));
      expect(message).toContain(`${code}, HTTP ${status}`);
      expect(message).toContain("create the repository");
    }
    expect(registry.requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
  });

  describe("answers a read with 404", () => {
    const pages: [string, string, string][] = [
      ["a web page", "text/html; charset=utf-8", "<h1>Not Found</h1>"],
      ["plain text", "text/plain", "404 page not found\n"],
      ["an error of another API", "application/json", '{"error":{"code":"NOT_FOUND"}}'],
      [
        "errors without a code (Artifactory, for a path without a repository)",
        "application/json",
        '{"errors":[{"status":404}]}',
      ],
      ["nothing", "text/plain", ""],
    ];
    const notFound =
      (part: "manifests" | "blobs", type: string, body: string): NonNullable<RegistryHabit["answer"]> =>
      ({ method, url = "" }, response) =>
        (method === "GET" || method === "HEAD") &&
        new RegExp(`/${part}/|/tags/`).test(url) &&
        response.writeHead(404, { "content-type": type }).end(method === "HEAD" ? "" : body);

    it.each(pages)("and %s has not said that the image is missing", async (_, type, body) => {
      const habit: RegistryHabit = {};
      const { world, destination } = await worldOf(habit);
      const state = await mirrored(world, { destination });
      for (const part of ["manifests", "blobs"] as const) {
        habit.answer = notFound(part, type, body);
        const { message } = await rejection(bundleMirror.read("id", state, world.context));
        expect(message).toContain("HTTP 404");
        expect(message).toContain(type.replace(/;.*/, ""));
        expect(message).toContain("check that the destination names a registry");
      }
      habit.answer = () => false;
      expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    });

    it.each(pages)("and %s is refused before the transfer of a first run", async (_, type, body) => {
      const { registry, world, destination } = await worldOf({ answer: notFound("manifests", type, body) });
      const { message } = await rejection(mirrored(world, { destination }));
      expect(message).toContain("check that the destination names a registry");
      expect(registry.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
    });

    it("without a code is believed where its list of tags does not name the image", async () => {
      const { world, destination } = await worldOf({
        answer: ({ method, url = "" }, response, _, tags) =>
          method === "GET" &&
          url.includes("/manifests/") &&
          !url.includes("sha256:") &&
          !tags.has(url.replace(/.*\//, "")) &&
          response.writeHead(404).end(),
      });
      const state = await mirrored(world, { destination });
      expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
      await destroyMirror(state, { warn: (text) => expect.fail(text) });
    });

    it.each(["MANIFEST_UNKNOWN", "NAME_UNKNOWN", "NOT_FOUND"])(
      "and the code %s says that the image is missing",
      async (code) => {
        const habit: RegistryHabit = {};
        const { world, destination } = await worldOf(habit);
        const state = await mirrored(world, { destination });
        habit.answer = ({ method, url = "" }, response) =>
          method === "GET" && url.includes("/manifests/") && refusal(response, 404, code);
        expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
      },
    );
  });

  it("gives a reader no token to push is still read in a refresh", async () => {
    const scopes: string[] = [];
    let mayPush = true;
    const { world, destination } = await worldOf({
      answer: ({ headers }, response, url) =>
        headers.authorization !== token && challenge(response, `Bearer realm="${url}/token"`),
      token: (scope) => {
        if (!mayPush) {
          scopes.push(scope);
        }
        return mayPush || !scope.includes("push") ? 200 : 403;
      },
    });
    const state = await mirrored(world, { destination });
    mayPush = false;
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    expect(scopes).toEqual(["repository:team/docs:pull,push", "repository:team/docs:pull"]);
  });

  it("names an authority at a link-local address gets no password there", async () => {
    const { world, destination } = await worldOf({
      answer: (_, response) => challenge(response, 'Bearer realm="https://169.254.169.254/token"'),
    });
    const error = await rejection(mirrored(world, { destination }));
    expect(error.message).toContain("which is a link-local address");
    expect(error.message).toContain("nothing was sent there");
  });
});
