import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { campaign } from "../../../support/campaign";
import { destroyMirror, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { crane, craneText, testRegistry } from "../../../support/mirror/ociRegistry";
import { keyForTest, verifiedStatement } from "../../../support/mirror/signatures";
import { contentOf, first, second, within } from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveFile, archiveWith, filesInArchive as filesOfTar, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

/* The tests read registries and image layouts as other programs do. bundleMirror.places.test.ts plays a mirror's life. */

const registry = testRegistry();
const bytes = gzipSync(gzipLike(3_000_000));

async function mirroredInRegistry(archive: Buffer, layout: BundleMirrorInputs["layout"], jobId = "job-1") {
  const world = await mirrorWorld([storageReply(archive)]);
  const state = await mirrored(world, { layout, jobId, destination: registry.destination });
  return { ...state, infos: world.infos };
}

const digestOf = (tag: string) => craneText("digest", `${registry.name}:${tag}`);
async function siteIn(reference: string): Promise<Record<string, string>> {
  return contentOf(await filesOfTar(archiveFile(await crane("export", reference, "-")), "tar"));
}

it("an archive in a registry is an artifact whose only layer is the archive as it came, tagged with the job id", async () => {
  const { digest, url } = await mirroredInRegistry(bytes, "archive");
  expect(digest).toBe(await digestOf("job-1"));
  expect(url).toBe(`${registry.name}@${digest}`);
  const manifest = JSON.parse(await craneText("manifest", url));
  expect(manifest).toMatchObject({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    artifactType: "application/vnd.pulumi-docs-platform.bundle.v1",
    layers: [
      { digest: `sha256:${sha256Of(bytes)}`, annotations: { "org.opencontainers.image.title": "job-1.tar.gz" } },
    ],
  });
  expect(await craneText("validate", "--remote", url)).toMatch(/^PASS/);
  expect((await crane("blob", `${registry.name}@sha256:${sha256Of(bytes)}`)).equals(bytes)).toBe(true);
  expect((await crane("export", url, "-")).equals(gunzipSync(bytes))).toBe(true);
});

describe("a site in a registry", () => {
  it("is an image whose only layer is the unpacked site, which other tools read", async () => {
    const { digest, url } = await mirroredInRegistry(await archiveWith("tar.gz", first), "site");
    expect(digest).toBe(await digestOf("latest"));
    expect(url).toBe(`${registry.name}@${digest}`);
    expect(await craneText("validate", "--remote", url)).toMatch(/^PASS/);
    const { manifests } = JSON.parse(await craneText("manifest", url));
    expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { architecture: "amd64", os: "linux" },
      { architecture: "arm64", os: "linux" },
    ]);
    const images = await Promise.all(
      manifests.map(async ({ digest, platform }: { digest: string; platform: { architecture: string } }) => {
        const reference = `${registry.name}@${digest}`;
        const { architecture, os } = JSON.parse(await craneText("config", reference));
        expect({ architecture, os }).toEqual(platform);
        return JSON.parse(await craneText("manifest", reference)).layers;
      }),
    );
    // Each image has only one layer. Both images have the same layer.
    expect(images).toEqual([[expect.any(Object)], images[0]]);
    expect(await siteIn(url)).toEqual(contentOf(first));
  });

  it("has one digest for one site, whatever the archive's order, times, format, folder around it and job are", async () => {
    const reversed = [...first].reverse();
    const entries = reversed.map(([name, content], at) => ({
      name,
      content,
      mtime: new Date(at * 1e9),
      mode: 0o600,
      uid: at,
    }));
    const archives = [
      await archiveWith("zip", first),
      await tarOf(entries),
      await archiveWith("tar.gz", reversed),
      await archiveWith("tar.gz", within("site-7", first)),
    ];
    const digests = new Set<string | undefined>();
    const infos: string[] = [];
    for (const [at, archive] of archives.entries()) {
      registry.destination = `oci://${registry.name}-${at}?plainHttp=true`;
      const site = await mirroredInRegistry(archive, "site", `job-${at}`);
      digests.add(site.digest);
      infos.push(...site.infos);
    }
    expect(infos).toEqual([expect.stringContaining('is in the folder "site-7" of the archive')]);
    // The digest must stay the same in every release, because another digest would restart the pods of all users.
    expect([...digests]).toEqual(["sha256:96b78edf77e906ccb57e2cae04a73e7eaa0fda9e9183ed835ca9b4fb9c68018b"]);
  });

  it("holds names that a tar's first header has no room for", async () => {
    const long = `${"deep/".repeat(30)}straße-${"x".repeat(80)}.html`;
    const { url } = await mirroredInRegistry(await archiveWith("tar.gz", [[long, "<h1>Long</h1>"]]), "site");
    expect(await siteIn(url)).toEqual({ [long]: "<h1>Long</h1>" });
    expect(await craneText("validate", "--remote", url)).toMatch(/^PASS/);
  });
});

async function layoutWorld() {
  const [one, two] = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)];
  const key = keyForTest();
  const world = await mirrorWorld([storageReply(one), storageReply(two)], { signingKey: key.source });
  const { folder } = world;
  const destination = pathToFileURL(folder).href.replace("file:", "oci-layout:");
  const json = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const blob = (digest: string) => json(join("blobs", ...digest.split(":")));
  const inputs: BundleMirrorInputs = { ...world.inputs, layout: "site", destination };
  return { ...world, key, json, blob, inputs };
}

describe("a mirror in an image layout", () => {
  it("has the files of the specification, whose names are their digests", async () => {
    const world = await layoutWorld();
    const state = await mirrored(world);
    expect(world.json("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
    expect(state.url).toBe(`${world.inputs.destination}@${state.digest}`);
    for (const name of filesIn(world.folder)) {
      if (!["index.json", "oci-layout"].includes(name)) {
        expect(`blobs/sha256/${sha256Of(readFileSync(join(world.folder, name)))}`).toBe(name);
      }
    }
    const { manifests } = world.blob(String(state.digest));
    expect(manifests).toHaveLength(2);
    expect(world.blob(manifests[0].digest).layers).toHaveLength(1);
    await destroyMirror(state);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("is signed, with both statements in its index, as those who copy it with its referrers look for them", async () => {
    const world = await layoutWorld();
    const state = await mirrored(world);
    const statements = [];
    for (const { digest, artifactType } of world.json("index.json").manifests) {
      const { subject, layers } = world.blob(digest);
      if (subject?.digest === state.digest) {
        expect(artifactType).toBe("application/vnd.dev.sigstore.bundle.v0.3+json");
        statements.push(verifiedStatement(world.blob(layers[0].digest), world.key.publicKey));
      }
    }
    expect(statements.map(({ predicateType }) => predicateType)).toEqual([
      "https://sigstore.dev/cosign/sign/v1",
      expect.stringContaining("pulumi-docs-platform/mirror/v1"),
    ]);
    expect(state.signedBy).toBe(world.key.name);
  });
});

/** A blob that another program wrote: its name in the folder `blobs`, and its content. */
type Blob = [name: string, content: string];

const blobOf = (content: string, algorithm = "sha256"): Blob & { digest: string } => {
  const hex = createHash(algorithm).update(content).digest("hex");
  return Object.assign([`${algorithm}/${hex}`, content] as Blob, { digest: `${algorithm}:${hex}` });
};

/** An artifact of another program. It uses the same empty blob as our images, and any digest algorithm. */
const artifact = fc.record({
  algorithm: fc.constantFrom("sha256", "sha512"),
  field: fc.constantFrom("layers", "blobs", "unknown"),
  isWhole: fc.boolean(),
  annotation: fc.constantFrom('"a\\u003cb"', '"}],\\"manifests\\":["', "1e999", "12345678901234567890"),
  content: fc.string({ maxLength: 5 }),
});

function artifactOf(drawn: typeof artifact extends fc.Arbitrary<infer T> ? T : never) {
  const [empty, content] = [blobOf("{}"), blobOf(drawn.content)];
  const part = ({ digest }: { digest: string }) => ({ mediaType: "x", digest, size: 1 });
  const manifest = blobOf(
    JSON.stringify({ schemaVersion: 2, config: part(empty), [drawn.field]: [part(content)] }),
    drawn.algorithm,
  );
  const entry = `{ "digest" :"${manifest.digest}","size":7, "data": [${drawn.annotation}] }`;
  return { entry, blobs: drawn.isWhole ? [empty, content, manifest] : [empty, content] };
}

/** The content of another program's `index.json`, valid or not. Undefined: the file is missing. */
const foreign = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(undefined, "", "{", "[]", '{"manifests":[]}', `{"a":"${"x".repeat(5e6)}"}`) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
  {
    weight: 5,
    arbitrary: fc.record({
      artifacts: fc.array(artifact, { maxLength: 3 }).map((drawn) => drawn.map(artifactOf)),
      fields: fc.subarray(['"x" : { "manifests" : [ 1e400 ] }', '"annotations":{"org":"theirs"}', `"mediaType":"any"`]),
    }),
  },
);

describe("what others have in the folder of an image layout", () => {
  it("is there byte for byte after a publication, an update and a removal, or nothing is written at all", async () => {
    const seen = { refused: 0, published: 0 };
    const versions = fc.constantFrom(undefined, '{"imageLayoutVersion": "1.0.0"}', '{"imageLayoutVersion":"2.0.0"}');
    await fc.assert(
      fc.asyncProperty(foreign, versions, async (index, version) => {
        const world = await layoutWorld();
        const isLayout = typeof index === "object";
        const parts = isLayout ? [...index.fields, ...index.artifacts.map(({ entry }) => entry)] : [];
        const list = isLayout ? `"manifests": [${index.artifacts.map(({ entry }) => entry).join(" ,")}]` : "";
        const text = isLayout ? `{ ${['"schemaVersion": 2', ...index.fields, list].join(", ")} }` : index;
        const files = new Map([
          ["notes.txt", "theirs"],
          ["blobs/sha256/notes", "theirs"],
          ...(isLayout ? index.artifacts.flatMap(({ blobs }) => blobs) : []).map(
            ([name, content]) => [`blobs/${name}`, content] as const,
          ),
          ...(version === undefined ? [] : [["oci-layout", version] as const]),
        ]);
        for (const [name, content] of [...files, ...(text === undefined ? [] : [["index.json", text] as const])]) {
          mkdirSync(dirname(join(world.folder, name)), { recursive: true });
          writeFileSync(join(world.folder, name), content);
        }
        const before = contentIn(world.folder);
        const isUnderstood = version?.includes("1.0.0") && (isLayout || text === undefined);
        const isNew = version === undefined && text === undefined;
        const created = await mirrored(world).catch((error: unknown) => error);
        if (created instanceof Error) {
          expect(created.message).toContain("not the one of an image layout");
          expect(isUnderstood || isNew).toBe(false);
          expect(contentIn(world.folder)).toEqual(before);
          seen.refused++;
          return;
        }
        expect(isUnderstood || isNew).toBe(true);
        const state = created as BundleMirrorState;
        const updated = await bundleMirror.update("id", state, { ...world.inputs, jobId: "job-2" }, world.context);
        await destroyMirror(updated);
        const after = contentIn(world.folder);
        for (const [name, content] of files) {
          expect(after[name]).toBe(content);
        }
        expect(text === undefined || after["index.json"] !== undefined).toBe(true);
        for (const part of parts) {
          expect(after["index.json"]).toContain(part);
        }
        seen.published++;
      }),
      { seed: campaignSeed(), numRuns: campaign ? 60 : 10 },
    );
    expect(Math.min(seen.refused, seen.published)).toBeGreaterThan(0);
  }, 120_000);
});
