import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { crane, craneText, testRegistry } from "../../../support/mirror/ociRegistry";
import { contentOf, first } from "../../../support/mirror/siteWorld";
import { gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveFile, archiveWith, type Files, filesInArchive as filesOfTar, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

const registry = testRegistry();
const bytes = gzipSync(gzipLike(3_000_000));

async function registryWorld(archives: [Buffer, ...Buffer[]], layout: BundleMirrorInputs["layout"] = "archive") {
  const [one, ...others] = archives.map((archive) => storageReply(archive));
  const world = await mirrorWorld([one ?? storageReply(bytes), ...others]);
  return { ...world, inputs: { ...world.inputs, layout, destination: registry.destination } };
}

const tags = async () => (await craneText("ls", registry.name)).split("\n").filter((tag) => tag !== "");
const digestOf = (tag: string) => craneText("digest", `${registry.name}:${tag}`);
const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

async function siteIn(reference: string): Promise<Record<string, string>> {
  return contentOf(await filesOfTar(archiveFile(await crane("export", reference, "-")), "tar"));
}

async function pushForeign(tag: string): Promise<string> {
  const layer = join(temporaryFolder(), "layer.tar");
  writeFileSync(layer, await tarOf([{ name: "mine.txt", content: tag }]));
  await crane("append", "-f", layer, "-t", `${registry.name}:${tag}`);
  return digestOf(tag);
}

it("an archive in a registry is an artifact whose only layer is the archive as it came, tagged with the job id", async () => {
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
    // Each image has only one layer. Both images have the same layer.
    expect(images).toEqual([[expect.any(Object)], images[0]]);
    expect(await siteIn(state.url)).toEqual(contentOf(first));
    expect(await refreshed(world, state)).toEqual(state);
  });

  it("has one digest for one site, whatever the archive's order, times, format, folder around it and job are", async () => {
    const reversed = [...first].reverse();
    const stamp = ([name, content]: Files[0], at: number) => ({
      name,
      content,
      mtime: new Date(at * 1e9),
      mode: 0o600,
    });
    const archives = [
      await archiveWith("zip", first),
      await tarOf(reversed.map((file, at) => ({ ...stamp(file, at), uid: at }))),
      await archiveWith("tar.gz", reversed),
      await archiveWith(
        "tar.gz",
        first.map(([path, content]): Files[0] => [`site-7/${path}`, content]),
      ),
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
    // The digest must stay the same in every release, because another digest would restart the pods of all users.
    expect([...digests]).toEqual(["sha256:96b78edf77e906ccb57e2cae04a73e7eaa0fda9e9183ed835ca9b4fb9c68018b"]);
  });

  it("holds names that a tar's first header has no room for", async () => {
    const long = `${"deep/".repeat(30)}straße-${"x".repeat(80)}.html`;
    const state = await mirrored(await registryWorld([await archiveWith("tar.gz", [[long, "<h1>Long</h1>"]])], "site"));
    expect(await siteIn(state.url)).toEqual({ [long]: "<h1>Long</h1>" });
    expect(await craneText("validate", "--remote", state.url)).toMatch(/^PASS/);
  });
});

describe("what somebody else has put into the repository", () => {
  it("under the tag of a site is not adopted where an archive's mirror becomes one of a site", async () => {
    const world = await registryWorld([await archiveWith("tar.gz", first)]);
    const old = await mirrored(world);
    const foreign = await pushForeign("latest");
    const inputs: BundleMirrorInputs = { ...world.inputs, layout: "site" };
    const error = await rejection(bundleMirror.create(inputs, world.context, old));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`"${registry.name}:latest"`);
    expect(await digestOf("latest")).toBe(foreign);
  });
});

it("a removal leaves the tags of others, also those that lead to the same image", async () => {
  const state = await mirrored(await registryWorld([bytes]));
  await crane("tag", `${registry.name}:job-1`, "kept");
  await destroyMirror(state);
  expect([await tags(), await digestOf("kept")]).toEqual([["kept"], state.digest]);
});
