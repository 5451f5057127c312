import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { campaign } from "../../../support/campaign";
import { destroyMirror, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { keyForTest, verifiedStatement } from "../../../support/mirror/signatures";
import { first, second } from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

async function layoutWorld(layout: BundleMirrorInputs["layout"] = "site") {
  const sites = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)] as const;
  const bytes = layout === "site" ? sites : ([gzipSync(gzipLike(200_000)), sites[1]] as const);
  const key = keyForTest();
  const world = await mirrorWorld([storageReply(bytes[0]), storageReply(bytes[1])], { signingKey: key.source });
  const { folder } = world;
  const destination = pathToFileURL(folder).href.replace("file:", "oci-layout:");
  const json = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const blob = (digest: string) => json(join("blobs", ...digest.split(":")));
  return { ...world, key, json, blob, inputs: { ...world.inputs, layout, destination } };
}

type LayoutWorld = Awaited<ReturnType<typeof layoutWorld>>;

const tagsIn = ({ json }: LayoutWorld): string[] =>
  json("index.json").manifests.flatMap(
    ({ annotations }: { annotations?: Record<string, string> }) =>
      annotations?.["org.opencontainers.image.ref.name"] ?? [],
  );
const refresh = ({ context }: LayoutWorld, state: BundleMirrorState) => bundleMirror.read("id", state, context);

describe("a mirror in an image layout", () => {
  it("has the files of the specification, whose names are their digests", async () => {
    const world = await layoutWorld();
    const state = await mirrored(world);
    expect(world.json("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
    expect(tagsIn(world).sort()).toEqual(["latest", "latest.mirror"]);
    expect(state.url).toBe(`${world.inputs.destination}@${state.digest}`);
    for (const name of filesIn(world.folder)) {
      if (!["index.json", "oci-layout"].includes(name)) {
        expect(`blobs/sha256/${sha256Of(readFileSync(join(world.folder, name)))}`).toBe(name);
      }
    }
    const { manifests } = world.blob(String(state.digest));
    expect(manifests).toHaveLength(2);
    expect(world.blob(manifests[0].digest).layers).toHaveLength(1);
    expect(await refresh(world, state)).toEqual(state);
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

  it("holds several jobs in one index, also if they are written at the same time, and each removes its own", async () => {
    const world = await layoutWorld("archive");
    const jobs = ["job-1", "job-2", "job-3"];
    const states = await Promise.all(jobs.map((jobId) => mirrored(world, { jobId })));
    expect(tagsIn(world).sort()).toEqual(jobs.flatMap((job) => [job, `${job}.mirror`]).sort());
    for (const state of states) {
      expect(await refresh(world, state)).toEqual(state);
    }
    const [one, ...others] = states as [BundleMirrorState, ...BundleMirrorState[]];
    await destroyMirror(one);
    for (const state of others) {
      expect(await refresh(world, state)).toEqual(state);
      await destroyMirror(state);
    }
    expect(filesIn(world.folder)).toEqual([]);
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
