import { describe, expect, it } from "vitest";
import { addHmacSeals } from "../../../../provider/mirror/layouts/mirrorOwner";
import { sigstoreBundleType } from "../../../../provider/mirror/signing/sigstoreBundle";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, mirrored } from "../../../support/mirror/mirrorWorld";
import type { RegistryHabit } from "../../../support/mirror/scriptedRegistry";
import { keyForTest, pushedManifestType } from "../../../support/mirror/signatures";
import { accepts, digestIn, signedWorld } from "../../../support/mirror/signedWorld";
import { tamperings } from "../../../support/mirror/tamperings";

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
