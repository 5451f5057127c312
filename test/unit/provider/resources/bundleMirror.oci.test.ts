import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { crane, craneText, testRegistry } from "../../../support/mirror/ociRegistry";
import { contentOf, first, second } from "../../../support/mirror/siteWorld";
import { filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { archiveFile, archiveWith, filesInArchive as filesOfTar, tarOf } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const registry = testRegistry();
const bytes = gzipSync(gzipLike(3_000_000));

/** A mirror's surroundings with a repository as its destination. */
async function registryWorld(archives: [Buffer, ...Buffer[]], layout: BundleMirrorInputs["layout"] = "archive") {
  const [one, ...others] = archives.map((archive) => storage(archive));
  const world = await mirrorWorld([one ?? storage(bytes), ...others]);
  return { ...world, inputs: { ...world.inputs, layout, destination: registry.destination } };
}

const tags = async () => (await craneText("ls", registry.name)).split("\n").filter((tag) => tag !== "");
const digestOf = (tag: string) => craneText("digest", `${registry.name}:${tag}`);
const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);
const remove = destroyed;
const update = (world: MirrorWorld, state: BundleMirrorState, inputs: Partial<BundleMirrorInputs> = {}) =>
  bundleMirror.update("id", state, { ...world.inputs, ...inputs }, world.context);

/** The files that `crane` finds in an image. */
async function siteIn(reference: string): Promise<Record<string, string>> {
  return contentOf(await filesOfTar(archiveFile(await crane("export", reference, "-")), "tar"));
}

/** Puts a foreign image under a tag of the repository. */
async function pushForeign(tag: string): Promise<string> {
  const layer = join(temporaryFolder(), "layer.tar");
  writeFileSync(layer, await tarOf([{ name: "mine.txt", content: tag }]));
  await crane("append", "-f", layer, "-t", `${registry.name}:${tag}`);
  return digestOf(tag);
}

describe("an archive in a registry", () => {
  it("is an artifact whose only layer is the archive as it came, tagged with the job id", async () => {
    const world = await registryWorld([bytes]);
    const { id, state } = await bundleMirror.create(world.inputs, world.context);
    expect(id).toBe(`${registry.destination}#job-1`);
    const digest = await digestOf("job-1");
    expect(state).toMatchObject({ digest, url: `${registry.name}@${digest}`, format: "tar.gz", version: "job-1" });
    expect(state).toMatchObject({ sha256: sha256Of(bytes), sizeBytes: bytes.length });
    const manifest = JSON.parse(await craneText("manifest", state.url));
    expect(manifest).toMatchObject({
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      artifactType: "application/vnd.pulumi-docs-platform.bundle.v1",
      layers: [
        { digest: `sha256:${sha256Of(bytes)}`, annotations: { "org.opencontainers.image.title": "job-1.tar.gz" } },
      ],
    });
    expect(await craneText("validate", "--remote", state.url)).toMatch(/^PASS/);
    expect((await crane("blob", `${registry.name}@sha256:${sha256Of(bytes)}`)).equals(bytes)).toBe(true);
    expect((await crane("export", state.url, "-")).equals(gunzipSync(bytes))).toBe(true);
    expect(await refreshed(world, state)).toEqual(state);
  });

  it.each([
    ["sej_47f3a373", "sej_47f3a373"],
    ["job/with a slash", /^job-with-a-slash-[0-9a-f]{16}$/],
    ["latest", /^latest-[0-9a-f]{16}$/],
    ["x.mirror", /^x\.mirror-[0-9a-f]{16}$/],
    ["…", /^-?[0-9a-f]{16}$|^job-[0-9a-f]{16}$/],
  ])("of the job %s has a tag that a registry takes, and that no other job has", async (jobId, tag) => {
    const state = await mirrored(await registryWorld([bytes]), { jobId });
    const [first = ""] = (await tags()).filter((one) => !one.endsWith(".mirror"));
    expect(first).toMatch(tag instanceof RegExp ? tag : new RegExp(`^${tag}$`));
    expect(await digestOf(first)).toBe(state.digest);
  });

  it("of another sha256 than the expected one is refused, and nothing leads to it", async () => {
    const unique = gzipSync("not yet in the registry");
    const world = await registryWorld([unique]);
    const inputs = { ...world.inputs, expectedSha256: "0".repeat(64) };
    expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(errors.ChecksumError);
    await expect(tags()).rejects.toThrow(/NAME_UNKNOWN/);
    expect(filesIn(registry.folder).filter((name) => name.includes(sha256Of(unique)))).toEqual([]);
  });

  it("leaves an image of others under its tag alone, and says so before a link is minted", async () => {
    const world = await registryWorld([bytes]);
    const before = await pushForeign("job-1");
    const error = await rejection(bundleMirror.create(world.inputs, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`"${registry.name}:job-1"`);
    expect(world.platform.calls).toEqual([]);
    expect([await tags(), await digestOf("job-1")]).toEqual([["job-1"], before]);
  });

  it("is shared by two mirrors of the same bytes, and the last one removes it", async () => {
    const [one, two] = [await mirrored(await registryWorld([bytes])), await mirrored(await registryWorld([bytes]))];
    expect(two.url).toBe(one.url);
    expect(two.mirroredAt).toBe(one.mirroredAt);
    await remove(one);
    expect(await tags()).toEqual(["job-1", "job-1.mirror"]);
    await remove(two);
    expect(await tags()).toEqual([]);
  });

  it("is refused with other bytes where another mirror has the place", async () => {
    const one = await mirrored(await registryWorld([bytes]));
    const world = await registryWorld([gzipSync("other bytes")]);
    const error = await rejection(bundleMirror.create(world.inputs, world.context));
    expect(error.message).toContain("another mirror has put the bundle");
    expect(await digestOf("job-1")).toBe(one.digest);
    await remove(one);
    expect(await tags()).toEqual([]);
  });
});

describe("a site in a registry", () => {
  it("is an image whose only layer is the unpacked site, which other tools read", async () => {
    const world = await registryWorld([await archiveWith("tar.gz", first)], "site");
    const { id, state } = await bundleMirror.create(world.inputs, world.context);
    expect(id).toBe(registry.destination);
    expect(state.url).toBe(`${registry.name}@${await digestOf("latest")}`);
    expect(state.digest).toBe(await digestOf("latest"));
    expect(await craneText("validate", "--remote", state.url)).toMatch(/^PASS/);
    const { manifests } = JSON.parse(await craneText("manifest", state.url));
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
    // Both images have one layer, the same one.
    expect(images).toEqual([[expect.any(Object)], images[0]]);
    expect(await siteIn(state.url)).toEqual(contentOf(first));
    expect(await refreshed(world, state)).toEqual(state);
  });

  it("has one digest for one site, whatever the archive's order, times, format, folder around it and job are", async () => {
    const reversed = [...first].reverse();
    const stamped = reversed.map(([name, content], at) => ({
      name,
      content,
      mtime: new Date(at * 1e9),
      mode: 0o600,
      uid: at,
    }));
    const around = first.map(([path, content]): [string, string] => [`site-7/${path}`, content]);
    const archives = [
      await archiveWith("zip", first),
      await tarOf(stamped),
      await archiveWith("tar.gz", reversed),
      await archiveWith("tar.gz", around),
    ];
    const digests = new Set<string | undefined>();
    const infos: string[] = [];
    for (const [at, archive] of archives.entries()) {
      registry.destination = `oci://${registry.name}-${at}?plainHttp=true`;
      const world = await registryWorld([archive], "site");
      digests.add((await mirrored(world, { jobId: `job-${at}` })).digest);
      infos.push(...world.infos);
    }
    expect(infos).toEqual([expect.stringContaining('is in the folder "site-7" of the archive')]);
    // The digest is the same in every release. Another one would roll everybody's pods.
    expect([...digests]).toEqual(["sha256:96b78edf77e906ccb57e2cae04a73e7eaa0fda9e9183ed835ca9b4fb9c68018b"]);
  });

  it("takes another job in place, and keeps the earlier image under its digest", async () => {
    const world = await registryWorld([await archiveWith("tar.gz", first), await archiveWith("zip", second)], "site");
    const before = await mirrored(world);
    const after = await update(world, before, { jobId: "job-2" });
    expect(await digestOf("latest")).toBe(after.digest);
    expect(await siteIn(after.url)).toEqual(contentOf(second));
    expect(await siteIn(before.url)).toEqual(contentOf(first));
    await remove(after);
    expect(await tags()).toEqual([]);
  });

  it("holds names that a tar's first header has no room for", async () => {
    const long = `${"deep/".repeat(30)}straße-${"x".repeat(80)}.html`;
    const state = await mirrored(await registryWorld([await archiveWith("tar.gz", [[long, "<h1>Long</h1>"]])], "site"));
    expect(await siteIn(state.url)).toEqual({ [long]: "<h1>Long</h1>" });
    expect(await craneText("validate", "--remote", state.url)).toMatch(/^PASS/);
  });

  it("of a damaged archive is refused, no tag appears, and no temporary file stays", async () => {
    const whole = await archiveWith("tar.gz", first);
    const world = await registryWorld([whole.subarray(0, whole.length - 20)], "site");
    const temporary = temporaryFolder();
    vi.stubEnv("TMPDIR", temporary);
    expect(await rejection(bundleMirror.create(world.inputs, world.context))).toBeInstanceOf(errors.ArchiveError);
    await expect(tags()).rejects.toThrow(/NAME_UNKNOWN/);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("what somebody else has put into the repository", () => {
  const refusedWith = async (work: Promise<unknown>, tag: string) => {
    const error = await rejection(work);
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`"${registry.name}:${tag}"`);
  };

  it("under the tag of a site is not taken over where an archive's mirror becomes one of a site", async () => {
    const world = await registryWorld([await archiveWith("tar.gz", first)]);
    const old = await mirrored(world);
    const foreign = await pushForeign("latest");
    const inputs: BundleMirrorInputs = { ...world.inputs, layout: "site" };
    await refusedWith(bundleMirror.create(inputs, world.context, old), "latest");
    expect(await digestOf("latest")).toBe(foreign);
  });

  it("under the tag of a record is not taken for one, nor overwritten", async () => {
    const world = await registryWorld([bytes]);
    const foreign = await pushForeign("job-1.mirror");
    await refusedWith(bundleMirror.create(world.inputs, world.context), "job-1.mirror");
    expect(await digestOf("job-1.mirror")).toBe(foreign);
  });

  /** A foreign image whose record claims these bytes, and claims these mirrors or none as owners. */
  async function withRecord(mirrors: object): Promise<string> {
    const foreign = await pushForeign("job-1");
    const record = {
      ...{ jobId: "job-1", version: "job-1", format: "tar.gz", sha256: sha256Of(bytes), sizeBytes: bytes.length },
      ...{ mirroredAt: "2026-03-01T00:00:00.000Z", tool: "pulumi-docs-platform 0.1.0", digest: foreign, ...mirrors },
    };
    await pushForeign("job-1.mirror");
    const tagged = `${registry.name}:job-1.mirror`;
    const annotation = `pulumi-docs-platform.mirror=${JSON.stringify(record)}`;
    await crane("mutate", "--annotation", annotation, "-t", tagged, tagged);
    return foreign;
  }

  it.each([
    ["belongs to no mirror", { mirror: "" }],
    ["belongs to another mirror", { mirror: "0".repeat(32) }],
  ])("is not overwritten, nor taken for the bundle, where a record tells that it %s", async (_, mirrors) => {
    const foreign = await withRecord(mirrors);
    const world = await registryWorld([bytes]);
    const inputs = { ...world.inputs, expectedSha256: sha256Of(bytes) };
    await refusedWith(bundleMirror.create(inputs, world.context), "job-1");
    expect(await digestOf("job-1")).toBe(foreign);
  });

  it("into the record of the same image does not tell what the state has of it", async () => {
    const one = await mirrored(await registryWorld([bytes]));
    const tagged = `${registry.name}:job-1.mirror`;
    const { annotations } = JSON.parse(await craneText("manifest", tagged));
    const [[name, text] = ["", ""]] = Object.entries<string>(annotations);
    const planted = JSON.stringify({ ...JSON.parse(text), sizeBytes: 1, format: "zip" });
    await crane("mutate", "--annotation", `${name}=${planted}`, "-t", tagged, tagged);
    const { sizeBytes, format } = await mirrored(await registryWorld([bytes]));
    expect({ sizeBytes, format }).toEqual({ sizeBytes: one.sizeBytes, format: one.format });
  });
});

describe("a refresh", () => {
  const changes: [string, () => Promise<unknown>, string][] = [
    ["a tag that leads elsewhere", () => pushForeign("job-1"), "the tag job-1 points to another image"],
    ["a tag that is gone", () => crane("delete", `${registry.name}:job-1`), "the tag of the image is missing"],
    [
      "a record that is gone",
      () => crane("delete", `${registry.name}:job-1.mirror`),
      "the record under job-1.mirror differs",
    ],
    [
      "a layer that is gone",
      async () => {
        for (const name of filesIn(registry.folder).filter((one) => one.includes(sha256Of(bytes)))) {
          rmSync(join(registry.folder, name));
        }
      },
      "a part of the image is missing",
    ],
  ];

  it("sees that one of the images of a site is gone", async () => {
    const world = await registryWorld([await archiveWith("tar.gz", first)], "site");
    const state = await mirrored(world);
    const [, arm] = JSON.parse(await craneText("manifest", state.url)).manifests;
    await crane("delete", `${registry.name}@${arm.digest}`);
    expect(await refreshed(world, state)).toMatchObject({ __difference: "a part of the image is missing" });
    expect(await update(world, { ...state, __differs: true })).toEqual(state);
  });

  it.each(changes)("sees %s without a transfer, and the next update mends it", async (_, change, what) => {
    const world = await registryWorld([bytes]);
    const state = await mirrored(world);
    await change();
    const found = await refreshed(world, state);
    expect(found).toMatchObject({ __differs: true, __difference: what });
    expect(world.platform.calls).toHaveLength(1);
    const mended = await update(world, found as BundleMirrorState);
    expect(mended).toEqual(state);
    expect(await refreshed(world, mended)).toEqual(state);
    // The record alone is written again, without a transfer.
    expect(world.platform.calls).toHaveLength(what.startsWith("the record") ? 1 : 2);
  });

  it("drops a mirror of which nothing is left", async () => {
    const world = await registryWorld([bytes]);
    const state = await mirrored(world);
    for (const tag of await tags()) {
      await crane("delete", `${registry.name}:${tag}`);
    }
    expect(await refreshed(world, state)).toBeUndefined();
  });
});

describe("a removal", () => {
  it("leaves an image that somebody else has put under the tag since", async () => {
    const state = await mirrored(await registryWorld([bytes]));
    const foreign = await pushForeign("job-1");
    await remove(state);
    expect([await tags(), await digestOf("job-1")]).toEqual([["job-1"], foreign]);
  });

  it("leaves the tags of others, also those that lead to the same image", async () => {
    const state = await mirrored(await registryWorld([bytes]));
    await crane("tag", `${registry.name}:job-1`, "kept");
    await remove(state);
    expect([await tags(), await digestOf("kept")]).toEqual([["kept"], state.digest]);
  });
});
