import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { setProcessCaFile } from "../../../../../provider/network/authorities";
import { configureDocker } from "../../../../support/mirror/configureDocker";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { type S3Server, startS3Server } from "../../../../support/mirror/s3Server";
import { storageReply } from "../../../../support/mirror/storage";
import { startTokenAuthRegistry, type TokenAuthRegistry, user } from "../../../../support/mirror/tokenAuthRegistry";
import { throwingLifecycles } from "../../../../support/throwingLifecycles";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

let s3: S3Server;
let registry: TokenAuthRegistry;

beforeAll(async () => {
  s3 = await startS3Server();
  s3.destination("blobs");
  const { AWS_ACCESS_KEY_ID: accesskey, AWS_SECRET_ACCESS_KEY: secretkey, AWS_REGION: region } = s3.environment;
  const bucket = { bucket: "blobs", region, accesskey, secretkey, regionendpoint: s3.endpoint, forcepathstyle: true };
  registry = await startTokenAuthRegistry({ storage: { s3: { ...bucket, secure: false } } });
  setProcessCaFile(registry.caFile);
});

afterAll(async () => {
  setProcessCaFile(undefined);
  await registry?.close();
  await s3?.close();
});

it.each(["archive", "site"] as const)(
  "a mirror of layout %s lives in a registry that keeps its blobs in a bucket, and leads to them",
  async (layout) => {
    const host = `127.0.0.1:${registry.port}`;
    const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
    configureDocker({ auths: { [host]: { auth } } });
    const world = await mirrorWorld([storageReply(await archiveWith("tar.gz", [["index.html", "<h1>Docs</h1>"]]))]);
    const state = await mirrored(world, { layout, destination: `oci://${host}/docs-${layout}` });
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    // The blob went to the storage server, and not to the registry.
    expect(s3.requests().some((request) => request.startsWith("PUT /blobs/"))).toBe(true);
    await destroyMirror(state, { warn: (text) => expect.fail(text) });
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
    vi.unstubAllEnvs();
  },
);
