import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CraneRegistry, startCraneRegistry } from "../../tools/servers/startCraneRegistry";
import { getTool } from "../../tools/toolchain/getTool";
import { mint } from "../support/engineTest";
import { leaks } from "../support/leaks";
import { redeclare, sharedMirrorStack, succeeded } from "../support/mirror/mirrorStack";
import { crane, craneText } from "../support/mirror/ociRegistry";
import { isAccepted, keyForTest, RepositoryReader } from "../support/mirror/signatures";
import { requireTool } from "../support/requireTool";
import { helmExecutable, manifests, only, toolTime } from "./chart/helm";

const folder = mkdtempSync(join(tmpdir(), "air-gap-"));
const disk = join(folder, "disk");
const key = keyForTest(folder);
let inside: CraneRegistry;

describe.skipIf(!requireTool("go"))(
  "a site on its way into an air gap, with oras, crane and Helm (built with go)",
  () => {
    const made = sharedMirrorStack();
    let oras: string;
    let digest: string;
    let carried: string;

    beforeAll(async () => {
      await helmExecutable();
      oras = await getTool("oras");
      mkdirSync(disk);
      made.destination = pathToFileURL(join(disk, "docs")).href.replace("file:", "oci-layout:");
      made.stack.environment.DOCS_PLATFORM_SIGNING_KEY_FILE = key.file;
    }, toolTime);

    afterAll(async () => {
      await inside?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it("is exported and mirrored to a folder, and signed, by one bundle", async () => {
      redeclare(made, { mirror: { layout: "site" } });
      const { requests } = succeeded(await made.stack.up());
      const outputs = await made.stack.outputs();
      expect(requests.at(-1)).toBe(mint(outputs.jobId));
      digest = String(outputs.url).split("@")[1] ?? "";
      expect(outputs.url).toBe(`${made.destination}@${digest}`);
      const saved = await made.stack.state("mirror");
      expect(saved?.outputs).toMatchObject({ signedBy: key.name, digest });
    });

    it("sends nothing while nothing changes, is found signed by a refresh, and shows the key nowhere", async () => {
      expect(succeeded(await made.stack.up()).requests).toEqual([]);
      succeeded(await made.stack.refresh());
      expect(succeeded(await made.stack.up()).requests).toEqual([]);
      expect(leaks(made.stack.folder, made.stack.printed, key.secrets)).toEqual([]);
    });

    it("leaves as a tarball on a disk", async () => {
      execFileSync("tar", ["-cf", join(disk, "docs.tar"), "-C", disk, "docs"]);
      rmSync(join(disk, "docs"), { recursive: true });
    });

    it("has the same digest and its signature in the registry inside", async () => {
      inside = await startCraneRegistry(join(folder, "inside"));
      execFileSync("tar", ["-xf", join(disk, "docs.tar"), "-C", disk]);
      const { version } = await made.stack.outputs();
      carried = `${inside.host}/docs@${digest}`;
      const to = `${inside.host}/docs:${version}`;
      execFileSync(oras, ["cp", "-r", "--from-oci-layout", "--to-plain-http", `${join(disk, "docs")}:latest`, to]);
      expect(await craneText("digest", to)).toBe(digest);
      expect(await craneText("validate", "--remote", carried)).toMatch(/^PASS/);
      expect(await isAccepted(new RepositoryReader(`${inside.host}/docs`), digest, key.publicKey)).toBe(true);
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
  },
);
