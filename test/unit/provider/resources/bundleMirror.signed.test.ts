import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { addHmacSeals } from "../../../../provider/mirror/layouts/mirrorOwner";
import { sigstoreBundleType } from "../../../../provider/mirror/signing/sigstoreBundle";
import { ConfigurationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, mirrored } from "../../../support/mirror/mirrorWorld";
import type { RegistryHabit } from "../../../support/mirror/scriptedRegistry";
import { isAccepted, keyForTest, pushedManifestType, verifiedStatement } from "../../../support/mirror/signatures";
import { accepts, digestIn, registries, type SignedWorld, signedWorld } from "../../../support/mirror/signedWorld";
import { tamperings } from "../../../support/mirror/tamperings";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

const decides = (state: BundleMirrorState, inputs: BundleMirrorInputs, updating: string[] = []) =>
  bundleMirror.decide(state, { ...inputs }, { replacing: [], updating, assumed: [] }, 0);

describe.each(registries)("a signed image in a registry %s", (_, habit) => {
  it("is signed before its tag leads to it, found unchanged, and removed with its signatures", async () => {
    const world = await signedWorld(habit);
    const state = await mirrored(world);
    const digest = digestIn(state);
    expect(state).toMatchObject({ signedBy: world.key.name });
    expect(await accepts(world, digest)).toBe(true);
    const puts = world.registry.requests.filter((request) => request.startsWith("PUT /v2/team/docs/manifests/"));
    expect(puts.findIndex((request) => request.endsWith("/latest"))).toBe(puts.length - 1);
    expect(puts.length).toBeGreaterThan(3);
    expect(decides(state, world.inputs)).toMatchObject({ update: false, replaces: [] });
    expect(await world.refresh(state)).toEqual(state);
    await destroyMirror(state);
    expect([...world.registry.tags.keys()]).toEqual([]);
    expect(await world.repository.bundles(digest)).toEqual([]);
  });

  it("keeps an own valid signature, however often it is published", async () => {
    const world = await signedWorld(habit);
    const state = await mirrored(world);
    const before = await signaturesOf(world, digestIn(state));
    const again = await world.update({ ...state, __difference: "the test" }, {});
    // The first site keeps its signatures, because pods may still pull the first image.
    expect(await signaturesOf(world, digestIn(state))).toEqual(before);
    expect(await accepts(world, digestIn(again))).toBe(true);
    const signed = await signaturesOf(world, digestIn(again));
    const resigned = await world.update({ ...again, __unsigned: "the test" });
    expect(await signaturesOf(world, digestIn(again))).toEqual(signed);
    expect(resigned).toEqual(again);
  });

  it("is mirrored and signed again where the key was rotated: a new key signs only what it has seen", async () => {
    const old = await signedWorld(habit);
    const state = await mirrored(old);
    const world = old.withKey(keyForTest());
    const found = await world.refresh(state);
    expect(found).toMatchObject({ __unsigned: "the image is signed by another key than the configured one" });
    expect(decides(found, world.inputs)).toMatchObject({ update: true, replaces: [], changingOutputs: "all" });
    const after = await world.update(found);
    expect(after).toMatchObject({ signedBy: world.key.name });
    expect(world.platform.calls).toHaveLength(2);
    expect([await accepts(world, digestIn(after)), await accepts(old, digestIn(after))]).toEqual([true, false]);
    expect(await world.refresh(after)).toEqual(after);
  });

  it("leaves what others have signed", async () => {
    const world = await signedWorld(habit);
    const state = await mirrored(world);
    const digest = digestIn(state);
    const other = await signedWorld(habit);
    const others = await mirrored(other);
    expect(others.digest).toBe(digest);
    for (const { bundle } of await other.repository.bundles(digest)) {
      await world.repository.addBundle(digest, bundle);
    }
    const isAcceptedOfOthers = () => isAccepted(world.repository, digest, other.key.publicKey);
    expect(await isAcceptedOfOthers()).toBe(true);
    expect(await world.refresh(state)).toEqual(state);
    const rotated = world.withKey(keyForTest());
    const after = await rotated.update(await rotated.refresh(state));
    expect([await accepts(rotated, digestIn(after)), await isAcceptedOfOthers()]).toEqual([true, true]);
    await destroyMirror(after);
    expect([await accepts(rotated, digestIn(after)), await isAcceptedOfOthers()]).toEqual([false, true]);
  });
});

/** Returns the signatures of an image. Two signatures of one image always differ, so a new signature is noticed. */
async function signaturesOf({ repository }: SignedWorld, digest: string): Promise<unknown> {
  return (await repository.bundles(digest)).map(({ referrer }) => referrer);
}

it("the bundles of an image are a signature, and a statement of its origin without any link", async () => {
  const world = await signedWorld({ referrers: "listed" });
  const state = await mirrored(world);
  const bundles = await world.repository.bundles(digestIn(state));
  const [signature, origin] = bundles.map(({ bundle }) => verifiedStatement(bundle, world.key.publicKey));
  const subject = [{ digest: { sha256: digestIn(state).slice("sha256:".length) } }];
  expect(signature).toMatchObject({ subject, predicateType: "https://sigstore.dev/cosign/sign/v1", predicate: {} });
  expect(origin).toMatchObject({
    subject,
    predicate: {
      platform: state.__origin,
      jobId: "job-1",
      archive: { format: "tar.gz", sha256: state.sha256, sizeBytes: state.sizeBytes },
      tool: expect.stringMatching(/^pulumi-docs-platform \d/),
    },
  });
  expect(JSON.stringify(origin)).not.toContain("Signature");
});

it("`sign: none` removes what was signed, and signs nothing", async () => {
  const world = await signedWorld();
  const state = await world.update(await mirrored(world), { sign: "none" });
  expect(state.signedBy).toBeUndefined();
  expect(await accepts(world, digestIn(state))).toBe(false);
  expect([...world.registry.tags.keys()].sort()).toEqual(["latest", "latest.mirror"]);
  expect(await world.refresh(state)).toEqual(state);
});

describe("a mirror without a key", () => {
  it("is not signed, and a refresh with a key says so", async () => {
    const world = await signedWorld();
    const state = await mirrored(world.withKey(undefined));
    expect(state.signedBy).toBeUndefined();
    expect([...world.registry.tags.keys()].sort()).toEqual(["latest", "latest.mirror"]);
    expect(await world.withKey(undefined).refresh(state)).toEqual(state);
    const found = await world.refresh(state);
    expect(found).toMatchObject({ __unsigned: "the image is not signed" });
    const signed = await world.update(found);
    expect(signed).toMatchObject({ signedBy: world.key.name });
    expect(world.platform.calls).toHaveLength(2);
    expect(await accepts(world, digestIn(signed))).toBe(true);
  });

  it("is refused where a signature is asked for, or was there before, and nothing is sent", async () => {
    const world = await signedWorld();
    const keyless = world.withKey(undefined);
    expect(await rejection(mirrored(keyless, { sign: "bundle" }))).toBeInstanceOf(ConfigurationError);
    expect([world.platform.calls, world.registry.requests]).toEqual([[], []]);
    const state = await mirrored(world, { sign: "bundle" });
    const inputs = { ...world.inputs, jobId: "job-2" };
    const sent = world.registry.requests.length;
    const error = await rejection(bundleMirror.update("id", state, inputs, keyless.context));
    expect(error.message).toContain("the image was signed before, but there is no signing key");
    expect(world.registry.requests).toHaveLength(sent);
    expect(await keyless.refresh(state)).toEqual(state);
  });
});

it("a key that a command prints signs, and is nowhere in the state", async () => {
  const world = await signedWorld();
  const script = `process.stdout.write(${JSON.stringify(world.key.pem)})`;
  const signingKey = () => ({ command: [process.execPath, "-e", script], from: "the test" });
  const state = await mirrored({ ...world, context: { ...world.context, signingKey } });
  expect(state.signedBy).toBe(world.key.name);
  for (const secret of world.key.secrets) {
    expect(JSON.stringify(state)).not.toContain(secret.slice(0, 16));
  }
});

it("a registry that accepts no signature ends the run before the tag leads to the new image, and the earlier image continues to be served", async () => {
  let refuses = false;
  const answer: RegistryHabit["answer"] = ({ method, url = "" }, response, _registry, _tags, body) => {
    if (!refuses || method !== "PUT" || !url.includes("/manifests/") || !body.includes('"subject"')) {
      return false;
    }
    response.writeHead(400);
    return response.end('{"errors":[{"code":"MANIFEST_INVALID"}]}');
  };
  const world = await signedWorld({ answer });
  const state = await mirrored(world);
  refuses = true;
  const error = await rejection(world.update(state, { jobId: "job-2" }));
  expect(error.message).toContain("MANIFEST_INVALID");
  expect(await world.repository.digest("latest")).toBe(state.digest);
  expect(await world.refresh(state)).toEqual(state);
});

describe("tampering", () => {
  it.each(tamperings)("that leaves %s (in a registry %s)", async (_, __, habit, [, tamper, isAccepted, difference]) => {
    const world = await signedWorld(habit);
    const state = await mirrored(world);
    const digest = digestIn(state);
    await tamper({ ...world, state, digest });
    expect(await accepts(world, await world.repository.digest("latest"))).toBe(isAccepted);
    const found = await world.refresh(state);
    expect(found.__difference ?? found.__unsigned).toEqual(difference && expect.stringMatching(difference));
    if (found.__unsigned !== undefined) {
      const mended = await world.update(found);
      expect(mended).toEqual(state);
      expect(await world.refresh(mended)).toEqual(mended);
      expect(world.platform.calls).toHaveLength(1);
      expect(await accepts(world, digest)).toBe(true);
    }
  });

  it("by a tag moved to an older signed image is accepted by verifiers, not by a refresh", async () => {
    const world = await signedWorld();
    const old = await mirrored(world);
    const state = await world.update(old, { jobId: "job-2" });
    const index = await world.repository.json(`manifests/${digestIn(old)}`);
    await world.repository.put("manifests/latest", index, index.mediaType);
    expect(await world.repository.digest("latest")).toBe(digestIn(old));
    expect(await accepts(world, digestIn(old))).toBe(true);
    expect(await world.refresh(state)).toMatchObject({ __difference: "the tag latest points to another image" });
  });
});

describe("a registry that answers another image for the digest of the mirrored one", () => {
  it("gets no signature of that image", async () => {
    let answered: { digest: string; index: string } | undefined;
    const answer: RegistryHabit["answer"] = ({ method, url = "" }, response) => {
      const isAsked = method === "GET" && answered !== undefined && url.endsWith(`manifests/${answered.digest}`);
      return isAsked && response.end(answered?.index);
    };
    const world = await signedWorld({ answer });
    const state = await mirrored(world);
    const index = await world.repository.json(`manifests/${digestIn(state)}`);
    const other = { ...index, annotations: { changed: "yes" } };
    answered = { digest: digestIn(state), index: JSON.stringify(other) };
    await world.repository.put("manifests/other", other, index.mediaType);
    const error = await rejection(world.update({ ...state, __unsigned: "the test" }));
    expect(error.message).toContain(`the image ${state.url} is missing`);
    expect(await accepts(world, await world.repository.digest("other"))).toBe(false);
  });
});

describe("a state in which somebody has named another image", () => {
  it.each(["the mirror's own record", "a record that the same person has sealed", "no record"])(
    "gets no signature of that image from a mirror with %s",
    async (which) => {
      const world = await signedWorld();
      const state = await mirrored(world);
      const index = await world.repository.json(`manifests/${digestIn(state)}`);
      await world.repository.put("manifests/other", { ...index, annotations: { changed: "yes" } }, index.mediaType);
      const digest = String(await world.repository.digest("other"));
      const __publication = "0".repeat(32);
      if (which !== "the mirror's own record") {
        const manifest = await world.repository.json("manifests/latest.mirror");
        const [name = ""] = Object.keys(manifest.annotations);
        const { seals: _, ...facts } = { ...JSON.parse(manifest.annotations[name]), digest };
        const record = addHmacSeals(facts, { jobId: "", names: [], publication: __publication }, false);
        const text = which === "no record" ? "" : JSON.stringify(record);
        await world.repository.put(
          "manifests/latest.mirror",
          { ...manifest, annotations: { [name]: text } },
          manifest.mediaType,
        );
      }
      const written = { ...state, ...(which.includes("own") ? {} : { __publication }), digest, __unsigned: "the test" };
      const error = await rejection(world.update(written));
      expect(error.message).toContain("is not the one that this mirror has published");
      expect(await accepts(world, digest)).toBe(false);
    },
  );
});

describe("what somebody has put beside the signatures of an image", () => {
  const elsewhere = "../../../v2/others/manifests/latest";
  const lists = [null, 5, "text", {}, [null], [5], [{}], [{ digest: 5 }], [{ digest: elsewhere, size: 1 }]];

  it("is no fault, and leads to no other repository: referrers with such layers", async () => {
    const world = await signedWorld();
    const state = await mirrored(world);
    const theirs: unknown[] = [elsewhere, "", ".."];
    for (const [index, layers] of lists.entries()) {
      const tag = `manifests/theirs-${index}`;
      await world.repository.put(tag, { mediaType: pushedManifestType, layers }, pushedManifestType);
      theirs.push(await world.repository.digest(`theirs-${index}`));
    }
    await world.repository.changeReferrersTag(digestIn(state), (entries) => [
      ...theirs.map((digest) => ({ artifactType: sigstoreBundleType, digest })),
      ...entries,
    ]);
    expect(await world.refresh(state)).toEqual(state);
    const rotated = world.withKey(keyForTest());
    const after = await rotated.update(await rotated.refresh(state));
    expect(await rotated.refresh(after)).toEqual(after);
    await destroyMirror(after);
    expect(world.registry.requests.filter((request) => !/^[A-Z]+ \/v2\/team\/docs\//.test(request))).toEqual([]);
  });
});
