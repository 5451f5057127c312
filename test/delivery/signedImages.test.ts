import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { BundleMirrorState } from "../../provider/definitions/bundleMirror";
import { projectRoot } from "../../tools/projectRoot";
import { type CraneRegistry, startCraneRegistry } from "../../tools/servers/startCraneRegistry";
import { getTool } from "../../tools/toolchain/getTool";
import { campaign } from "../support/campaign";
import { destroyMirror, mirrored } from "../support/mirror/mirrorWorld";
import { isAccepted, type KeyForTest, keyForTest } from "../support/mirror/signatures";
import { digestIn, registries, signedWorld } from "../support/mirror/signedWorld";
import { tamperings } from "../support/mirror/tamperings";
import { temporaryFolder } from "../support/temporaryFolder";
import { toolTime } from "./chart/helm";

const run = promisify(execFile);

/** cosign stores its settings and trusted keys in the home folder. */
const environment = () => ({ PATH: process.env.PATH, HOME: temporaryFolder() });

let cosign = "";
let oras = "";
let kyverno = "";

/** Returns false if cosign found no valid signature. */
async function cosignAccepts(args: readonly string[], key: KeyForTest): Promise<boolean> {
  const file = join(temporaryFolder(), "signing.pub");
  writeFileSync(file, key.publicKey.export({ type: "spki", format: "pem" }));
  const [command = "", ...rest] = args;
  const all = [command, "--key", file, "--insecure-ignore-tlog=true", ...rest];
  try {
    await run(cosign, all, { env: environment() });
    return true;
  } catch (error) {
    const { stderr } = error as { stderr: string };
    expect(stderr).toMatch(
      /no (matching )?(signatures|attestations)|no valid|invalid signature|none of the expected|failed to verify/i,
    );
    return false;
  }
}

/** True if the example's policy lets a pod use the image. */
async function kyvernoAccepts(reference: string, { publicKey }: KeyForTest): Promise<boolean> {
  const folder = temporaryFolder();
  const policy = parse(readFileSync(join(projectRoot, "examples", "signedImages", "kyverno.yaml"), "utf8"));
  policy.spec.matchImageReferences = [{ glob: `${reference.split("/")[0]}/*` }];
  policy.spec.attestors[0].cosign.key.data = publicKey.export({ type: "spki", format: "pem" });
  const containers = [{ name: "server", image: "nginx:1" }];
  const volumes = [{ name: "site", image: { reference } }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "docs", namespace: "docs" } };
  for (const [name, object] of Object.entries({ policy, pod: { ...pod, spec: { containers, volumes } } })) {
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(object));
  }
  const args = ["apply", join(folder, "policy.yaml"), "--resource", join(folder, "pod.yaml")];
  const { stdout, code = 0 } = await run(kyverno, args, { env: environment() }).catch((error) => error);
  expect(stdout).toMatch(code === 0 ? /pass: 1, fail: 0/ : /pass: 0, fail: 1/);
  return code === 0;
}

/** The first run takes a quarter of an hour, because it builds cosign and Kyverno. */
describe.skipIf(!campaign)("a signed image, in the hands of cosign, Kyverno and oras", () => {
  beforeAll(async () => {
    [cosign, oras, kyverno] = [await getTool("cosign"), await getTool("oras"), await getTool("kyverno")];
  }, toolTime);

  it.each(tamperings)(
    "after a tampering that leaves %s (in a registry %s), is accepted where it should be",
    async (_, __, habit, [, tamper, accepted]) => {
      const world = await signedWorld(habit);
      const state = await mirrored(world);
      const digest = digestIn(state);
      await tamper({ ...world, state, digest });
      const { name } = world.repository;
      const served = `${name}@${await world.repository.digest("latest")}`;
      expect(await cosignAccepts(["verify", `${name}:latest`], world.key)).toBe(accepted);
      expect(await kyvernoAccepts(served, world.key)).toBe(accepted);
    },
    60_000,
  );

  it.each(registries)("is refused with another key (in a registry %s)", async (_, habit) => {
    const world = await signedWorld(habit);
    const { url } = await mirrored(world);
    expect(await cosignAccepts(["verify", url], world.key)).toBe(true);
    expect(await cosignAccepts(["verify", url], keyForTest())).toBe(false);
  });

  it("is refused to a pod by its tag, which can be moved", async () => {
    const world = await signedWorld();
    await mirrored(world);
    expect(await kyvernoAccepts(`${world.repository.name}:latest`, world.key)).toBe(false);
  });

  it.each(registries)("says where it comes from (in a registry %s)", async (_, habit) => {
    const world = await signedWorld(habit);
    const { url } = await mirrored(world);
    const type = "https://github.com/pulumi-docs-platform/pulumi-docs-platform/mirror/v1";
    expect(await cosignAccepts(["verify-attestation", "--type", type, url], world.key)).toBe(true);
  });

  describe("that is carried as an image layout", () => {
    const folder = mkdtempSync(join(tmpdir(), "signed-"));
    let inside: CraneRegistry;
    beforeAll(async () => {
      inside = await startCraneRegistry(join(folder, "registry"));
      return async () => {
        await inside.close();
        rmSync(folder, { recursive: true, force: true });
      };
    }, toolTime);

    it("keeps its digest and its bundles by oras, and is verified inside", async () => {
      const world = await signedWorld();
      const disk = join(folder, "disk");
      const inputs = { ...world.inputs, destination: pathToFileURL(disk).href.replace("file:", "oci-layout:") };
      const state: BundleMirrorState = await mirrored({ ...world, inputs });
      const carried = `${inside.host}/docs`;
      const copy = ["cp", "--recursive", "--from-oci-layout", "--to-plain-http", `${disk}:latest`, `${carried}:v1`];
      await run(oras, copy, { env: environment() });
      const digest = (await run(oras, ["resolve", "--plain-http", `${carried}:v1`])).stdout.trim();
      expect(digest).toBe(state.digest);
      expect(await cosignAccepts(["verify", `${carried}@${digest}`], world.key)).toBe(true);
      await destroyMirror(state);
    });
  });

  it("is pulled by the containerd of the example, and an unsigned one is not", async () => {
    const world = await signedWorld();
    const { url, digest = "" } = await mirrored(world);
    const unsigned = await mirrored((await signedWorld()).withKey(undefined));
    const key = join(temporaryFolder(), "signing.pub");
    writeFileSync(key, world.key.publicKey.export({ type: "spki", format: "pem" }));
    const verifier = join(projectRoot, "examples", "signedImages", "containerd", "verifySigned");
    const verify = async (name: string, of: string, prefix: string) => {
      const path = `${dirname(cosign)}:${process.env.PATH}`;
      const env = { ...environment(), PATH: path, SIGNED_KEY: key, SIGNED_PREFIX: prefix };
      const args = ["-name", name, "-digest", of, "-stdin-media-type", "application/vnd.oci.descriptor.v1+json"];
      return run(verifier, args, { env }).then(
        () => "accepted",
        ({ stdout }) => String(stdout).trim(),
      );
    };
    const { name } = world.repository;
    expect(await verify(url, digest, name)).toBe("accepted");
    expect(await verify(`${name}:latest`, digest, name)).toBe("accepted");
    const [other = ""] = unsigned.url.split("@");
    expect(await verify(unsigned.url, digestIn(unsigned), other)).toContain("is not signed with the key");
    expect(await verify(unsigned.url, digestIn(unsigned), name)).toBe("accepted");
    expect(await isAccepted(world.repository, digest, world.key.publicKey)).toBe(true);
  });
});
