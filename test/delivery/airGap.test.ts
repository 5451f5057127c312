import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CraneRegistry, startCraneRegistry } from "../../tools/servers/startCraneRegistry";
import { browserFile } from "../support/chromium";
import { look, mint } from "../support/engineTest";
import { redeclare, succeeded, tellMirrorStory } from "../support/mirror/mirrorStack";
import { crane, craneText } from "../support/mirror/ociRegistry";
import { requireTool } from "../support/requireTool";
import { readInChromium } from "./browser/readInChromium";
import { startFolderServer } from "./browser/webServers";
import { helmExecutable, manifests, only, toolTime } from "./chart/helm";

const nothing = { code: 0, requests: [] };

const folder = mkdtempSync(join(tmpdir(), "air-gap-"));
const disk = join(folder, "disk");
let outside: CraneRegistry;
let inside: CraneRegistry;

describe.skipIf(!requireTool("go"))("a site on its way into an air gap, with crane and Helm (built with go)", () => {
  const made = tellMirrorStory();
  /** The names of the image, outside and inside. */
  let reference: string;
  let carried: string;

  beforeAll(async () => {
    await helmExecutable();
    mkdirSync(disk);
    outside = await startCraneRegistry(join(folder, "outside"));
    made.destination = `oci://${outside.host}/team/docs?plainHttp=true`;
  }, toolTime);

  afterAll(async () => {
    await outside?.close();
    await inside?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is exported and mirrored to a registry outside, by one bundle", async () => {
    redeclare(made, { mirror: { layout: "site", values: true } });
    const { requests } = succeeded(await made.stack.up());
    const { jobId, url, values } = await made.stack.outputs();
    expect(requests.at(-1)).toBe(mint(jobId));
    reference = String(url);
    expect(await craneText("validate", "--remote", reference)).toMatch(/^PASS/);
    expect(values).toEqual({ staticExport: { enabled: true, image: reference, version: jobId } });
  });

  it("costs nothing while nothing changes, and a refresh looks at the registry alone", async () => {
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    const { jobId } = await made.stack.outputs();
    expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(jobId)] });
  });

  it("leaves as a tarball on a disk", async () => {
    await crane("pull", "--format=oci", reference, join(disk, "docs"));
    execFileSync("tar", ["-cf", join(disk, "docs.tar"), "-C", disk, "docs"]);
    rmSync(join(disk, "docs"), { recursive: true });
    // From here on, nothing outside is reachable.
    await outside.close();
  });

  it("has the same digest in the registry inside", async () => {
    inside = await startCraneRegistry(join(folder, "inside"));
    execFileSync("tar", ["-xf", join(disk, "docs.tar"), "-C", disk]);
    const [, digest] = reference.split("@");
    const { version } = await made.stack.outputs();
    await crane("push", join(disk, "docs"), `${inside.host}/docs:${version}`);
    expect(await craneText("digest", `${inside.host}/docs:${version}`)).toBe(digest);
    carried = `${inside.host}/docs@${digest}`;
  });

  it("is what the pods of the chart mount, without a link and without a fetch", async () => {
    const { version } = await made.stack.outputs();
    const objects = await manifests({ staticExport: { enabled: true, image: carried, version } });
    const { spec } = only(objects, "Deployment").spec.template;
    expect(spec.volumes.find(({ name }: { name: string }) => name === "site").image.reference).toBe(carried);
    expect(spec.initContainers).toBeUndefined();
    expect(objects.map(({ kind }) => kind)).not.toContain("Secret");
  });

  it("is read back from the layer as a whole site", async () => {
    writeFileSync(join(folder, "layer.tar"), await crane("export", carried, "-"));
    mkdirSync(join(folder, "site"));
    execFileSync("tar", ["-xf", join(folder, "layer.tar"), "-C", join(folder, "site")]);
    expect(readFileSync(join(folder, "site", "index.html"), "utf8")).toContain("<nav");
  });

  it.skipIf(browserFile === undefined)("is shown by a real Chromium", async () => {
    const server = await startFolderServer(join(folder, "site"));
    try {
      const { titles, faults } = await readInChromium(server.origin);
      expect(titles.length).toBeGreaterThan(1);
      expect(faults).toEqual([]);
    } finally {
      server.close();
    }
  });
});
