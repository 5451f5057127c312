import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { repackForEachLink } from "../../support/mirror/repackForEachLink";
import { keyForTest } from "../../support/mirror/signatures";
import { contentIn, filesIn } from "../../support/mirror/storage";
import { requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const copy = "docsplatform_bundle_mirror.copy";

interface Options {
  content?: string;
  folder?: string;
  layout?: string;
  createFirst?: boolean;
  waitTimeout?: string;
}

function mirrored({
  content = "1",
  folder = "copies",
  layout = "archive",
  createFirst = false,
  waitTimeout = "30m",
}: Options): string {
  return `resource "docsplatform_static_export" "site" {
  domain       = "docs.example.com"
  triggers     = "${content}"
  wait_timeout = "${waitTimeout}"
}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "file://\${abspath("${folder}")}"
  layout      = "${layout}"
  lifecycle {
    create_before_destroy = ${createFirst}
  }
}
`;
}

function archivesIn(stack: TerraformStack, folder = "copies"): string[] {
  const path = join(stack.folder, folder);
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".tar.gz")) : [];
}

describe.skipIf(!requireTool("terraform"))("the Helm values of a mirror in a folder", () => {
  const values = `output "values" {
  value = provider::docsplatform::helm_values({ mirror = docsplatform_bundle_mirror.copy })
}
`;

  it("are refused by the plan where it is served nowhere, before anything is started; otherwise they are known after the apply", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, `${mirrored({})}${values}`);
    const { code, output } = await stack.plan();
    expect({ code, starts: platform.starts }).toEqual({ code: 1, starts: 0 });
    expect(output.replace(/\s*\n[│ ]*/g, " ")).toContain(
      "a folder on one machine: set its public_url to the address that serves this folder",
    );
    const served = mirrored({}).replace("layout ", 'public_url = "https://files.example.com/docs"\n  layout ');
    stack.write(`${served}${values}`);
    await stack.expectApply(0);
    const { jobId } = platform.jobs.list()[0] ?? { jobId: "" };
    const { staticExport } = stack.output("values") as { staticExport: object };
    expect(staticExport).toMatchObject({ enabled: true, bundleUrl: `https://files.example.com/docs/${jobId}.tar.gz` });
    await stack.expectNothingToDo();
  });
});

describe.skipIf(!requireTool("terraform"))("an archive that is replaced on Terraform", () => {
  it.each([false, true])(
    "stays until its successor is there, wherever the new export or its wait ends, and goes then (create_before_destroy = %s)",
    async (createFirst) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst }));
      const archive = () => `${stack.state(copy)?.attributes.job_id}.tar.gz`;
      await stack.expectApply(0);
      stack.write(mirrored({ createFirst, content: "2" }));
      await stack.expectApply(0);
      const first = archive();
      expect(archivesIn(stack)).toEqual([first]);

      platform.failJobs = "out of pages";
      stack.write(mirrored({ createFirst, content: "3", waitTimeout: "3s" }));
      const failed = await stack.expectApply(1);
      expect(failed.includes("after its replacement exists")).toBe(!createFirst);
      expect(archivesIn(stack)).toEqual([first]);
      platform.failJobs = undefined;
      platform.jobTime = Number.POSITIVE_INFINITY;
      for (const told of ["Warning: DOCS_WAIT_TIMEOUT", "Error: DOCS_WAIT_TIMEOUT"]) {
        expect(await stack.expectApply(1)).toContain(told);
        expect(archivesIn(stack)).toEqual([first]);
      }
      platform.jobs.complete(platform.jobs.list().at(-1)?.jobId ?? "");
      await stack.expectApply(0);
      // Without create-before-destroy, the failed replacement has removed the first mirror from the state. The folder
      // still contains the mirror's archive.
      expect(archivesIn(stack).sort()).toEqual([...(createFirst ? [] : [first]), archive()].sort());
      // Each content of the site causes one start, and the failed job causes one more.
      expect(platform.starts).toBe(4);
      await stack.expectNothingToDo();

      stack.write(mirrored({ createFirst, content: "3", waitTimeout: "3s", folder: "others" }));
      await stack.expectApply(0);
      expect([archivesIn(stack), archivesIn(stack, "others")]).toEqual([createFirst ? [] : [first], [archive()]]);
      await stack.expectApply(0, `-replace=${copy}`);
      expect(archivesIn(stack, "others")).toEqual([archive()]);
      expect((await stack.run("taint", copy)).code).toBe(0);
      await stack.expectApply(0);
      expect(archivesIn(stack, "others")).toEqual([archive()]);
      await stack.expectNothingToDo();
      expect((await stack.destroy()).code).toBe(0);
      expect(archivesIn(stack, "others")).toEqual([]);
    },
  );

  it("goes although it is tainted, where its place is known; otherwise the apply says that it stays", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, mirrored({}));
    await stack.expectApply(0);
    expect((await stack.run("taint", copy)).code).toBe(0);
    stack.write(mirrored({ content: "2" }));
    await stack.expectApply(0);
    const [second, ...others] = archivesIn(stack);
    expect([second, others]).toEqual([`${stack.state(copy)?.attributes.job_id}.tar.gz`, []]);
    expect((await stack.run("taint", copy)).code).toBe(0);
    stack.write(
      mirrored({ folder: "others" }).replace(
        "docsplatform_static_export.site.job_id",
        `"${platform.jobs.list()[0]?.jobId}"`,
      ),
    );
    const output = await stack.expectApply(0);
    expect(archivesIn(stack)).toEqual([second]);
    expect(output).toMatch(/Warning: the files of \S+copies#\w+ stay this deletion lacks/);
  });

  it("is deleted first where a site replaces it", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, mirrored({}));
    await stack.expectApply(0);
    stack.write(mirrored({ layout: "site" }));
    await stack.expectApply(0);
    expect(archivesIn(stack)).toEqual([]);
    expect(existsSync(join(stack.folder, "copies", "index.html"))).toBe(true);
    await stack.expectNothingToDo();
  });
});

describe.skipIf(!requireTool("terraform"))(
  "a mirror that -replace makes again, of a platform that packs each bundle again,",
  () => {
    it.each(["archive", "site"])("adopts its own files: layout %s", async (layout) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ layout }));
      await repackForEachLink(platform, 2);
      await stack.expectApply(0);
      const before = stack.state(copy)?.attributes.sha256;
      await stack.expectApply(0, `-replace=${copy}`);
      expect(stack.state(copy)?.attributes.sha256).not.toBe(before);
      await stack.expectNothingToDo();
      expect((await stack.destroy()).code).toBe(0);
      expect(filesIn(join(stack.folder, "copies"))).toEqual([]);
    });

    it("is refused with create_before_destroy, since its create gets no information about the old one, which stays whole", async () => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst: true }));
      await repackForEachLink(platform, 3);
      await stack.expectApply(0);
      const refused = await stack.expectApply(1, `-replace=${copy}`);
      expect(refused).toContain("create_before_destroy = false");
      await stack.expectNothingToDo();
      stack.write(mirrored({}));
      await stack.expectApply(0, `-replace=${copy}`);
      await stack.expectNothingToDo();
    });
  },
);

describe.skipIf(!requireTool("terraform"))("the place of a mirror", () => {
  it("is refused to a mirror of another configuration, and stays unchanged", async () => {
    const platform = await terraformPlatform();
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const shared = temporaryFolder();
    const configuration = `resource "docsplatform_bundle_mirror" "copy" {
  job_id      = "${jobId}"
  destination = "${pathToFileURL(shared).href}"
}
`;
    const [one, other] = [
      await TerraformStack.create(platform, configuration),
      await TerraformStack.create(platform, configuration),
    ];
    await one.expectApply(0);
    const before = contentIn(shared);
    expect(await other.expectApply(1)).toMatch(
      /DOCS_DESTINATION: the destination belongs to another mirror: \S+\.json names "terraform BundleMirror [0-9a-f]{32}"/,
    );
    expect(contentIn(shared)).toEqual(before);
    expect(await one.destroy()).toMatchObject({ code: 0 });
    expect(filesIn(shared)).toEqual([]);
  });
});

describe.skipIf(!requireTool("terraform"))("a signed image on Terraform", () => {
  const image = (sign: string) =>
    mirrored({ layout: "site" }).replace('"file://', `"oci-layout://`).replace("layout ", `${sign}\n  layout `);

  it("is signed again as its plan says, where `sign` or the key has changed, and goes without a key", async () => {
    const [one, other] = [keyForTest(), keyForTest()];
    vi.stubEnv("DOCS_PLATFORM_SIGNING_KEY_FILE", one.file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const stack = await TerraformStack.reattached(await terraformPlatform({ jobTime: 0 }), image(""));
    await stack.expectApply(0);
    expect(stack.state(copy)?.attributes.signed_by).toBe(one.name);
    await stack.expectNothingToDo();
    stack.write(image('sign = "none"'));
    await stack.expectApply(0);
    expect(stack.state(copy)?.attributes.signed_by).toBeNull();
    await stack.expectNothingToDo();
    stack.write(image('sign = "bundle"'));
    await stack.expectApply(0);
    vi.stubEnv("DOCS_PLATFORM_SIGNING_KEY_FILE", other.file);
    const { output, requests } = await stack.plan();
    expect(output).toMatch(/signed_by\s+= "\S+" -> \(known after apply\)/);
    expect(requests).toEqual([]);
    await stack.expectApply(0);
    expect(stack.state(copy)?.attributes.signed_by).toBe(other.name);
    await stack.expectNothingToDo();
    vi.stubEnv("DOCS_PLATFORM_SIGNING_KEY_FILE", "");
    expect((await stack.destroy()).code).toBe(0);
    expect(filesIn(join(stack.folder, "copies"))).toEqual([]);
  });
});
