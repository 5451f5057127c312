import { describe, expect, it } from "vitest";
import { rejection } from "../../../support/clientUnderTest";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, storageReply } from "../../../support/mirror/storage";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, type Files } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

const small = gzipLike(30_000);

const files: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/old.html", "<h1>Old</h1>"],
  ["assets/style.css", "h1 {}"],
  ["assets/logo.svg", "<svg/>"],
  ["data", "x"],
];

/** Rules for object storages only. bundleMirror.places.test.ts has the tests of a mirror's life. */
describe.each(eachObjectPlace)("at a place of the scheme %s,", (_, placeOfTest) => {
  const place = placeOfTest();

  it("a site is published with the content types and the caching of a static host", async () => {
    const world = await mirrorWorld([storageReply(await archiveWith("tar.gz", files))]);
    const { url } = await mirrored(world, { layout: "site", destination: place.destination("docs") });
    expect(url).toBe(`${place.root}docs/`);
    const headers = new Map<string, unknown>();
    for (const [path] of files) {
      const { contentType, cacheControl } = await place.headers(`docs/${path}`);
      headers.set(path, [contentType, cacheControl]);
    }
    expect(Object.fromEntries(headers)).toEqual({
      "index.html": ["text/html; charset=utf-8", "no-cache"],
      "guide/old.html": ["text/html; charset=utf-8", "no-cache"],
      "assets/style.css": ["text/css; charset=utf-8", "public, max-age=300"],
      "assets/logo.svg": ["image/svg+xml", "public, max-age=300"],
      data: ["application/octet-stream", "public, max-age=300"],
    });
  });

  it("an archive has the type of its format, and an address without a signature", async () => {
    const { url } = await mirrored(await mirrorWorld([storageReply(small)]), {
      destination: place.destination("docs"),
    });
    expect(url).toBe(`${place.root}docs/job-1.tar.gz`);
    expect((await place.headers("docs/job-1.tar.gz")).contentType).toBe("application/gzip");
  });

  it("a server on this machine is refused to a platform that is not, before a link is minted", async () => {
    const world = await mirrorWorld([storageReply(small)], { baseUrl: "https://api.example.com" });
    const destination = place.destination();
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error.message).toContain("would be reached by plain http");
    expect(world.platform.calls).toEqual([]);
  });
});
