import { expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { output } from "../support/protocol/messages";
import { pluginProcess } from "../support/protocol/protocolHosts";

it("helmValues accepts the outputs of a bundle as Python writes a dictionary, which its SDK sends unchanged", async () => {
  const { client } = await pluginProcess(await testPlatform());
  const { result } = await client.invoke("helmValues", { bundle: { bundle_url: "https://x.example/a", version: "1" } });
  expect(result).toEqual({ staticExport: { enabled: true, bundleUrl: "https://x.example/a", version: "1" } });
  const mirror = { url: "https://x.example/a", version: "1", sha256: "ab" };
  const { result: pinned } = await client.invoke("helmValues", { mirror, sha256: true });
  expect(pinned).toEqual({ staticExport: { enabled: true, bundleUrl: mirror.url, version: "1", sha256: "ab" } });
});

it("helmValues of a resource, which arrives as its id, and in a preview not at all, asks for its outputs", async () => {
  const { client } = await pluginProcess(await testPlatform());
  const advice = expect.stringContaining(
    "give the outputs of the resource one by one, such as bundleUrl and version of a bundle",
  );
  for (const argument of ["bundle", "mirror"]) {
    const { failures } = await client.invoke("helmValues", { [argument]: "sej_1" });
    expect(failures).toEqual([{ property: argument, reason: advice }]);
  }
  await expect(client.invoke("helmValues", {})).rejects.toMatchObject({ message: advice });
  const { result } = await client.invoke("helmValues", { enabled: false });
  expect(result).toEqual({ staticExport: { enabled: false } });
});

it("helmValues of a mirror in a folder, which is served nowhere, is refused in the preview of an engine that says what is unknown", async () => {
  const { client } = await pluginProcess(await testPlatform());
  await client.handshake({ invokeWithPreview: true, acceptsOutputsInInvoke: true });
  const mirror = { url: output({}), version: output({}), destination: "file:///srv/docs" };
  const ask = (more: object) => client.invoke("helmValues", { mirror: { ...mirror, ...more } }, true);
  await expect(ask({})).rejects.toMatchObject({ message: expect.stringContaining("a folder on one machine") });
  for (const served of [{ publicUrl: "https://files.example.com" }, { publicUrl: output({}) }]) {
    const { result } = await ask(served);
    expect(result).toEqual({ staticExport: output({ secret: false, dependencies: [] }) });
  }
});
