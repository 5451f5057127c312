import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as timer } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Platform } from "../../../simulator/index";
import { campaign, variant } from "../../support/campaign";
import type { Run } from "../../support/engineStack";
import { serve } from "../../support/loopback";
import { packAnew } from "../../support/mirror/packAnew";
import { startS3Server } from "../../support/mirror/s3Server";
import { filesIn } from "../../support/mirror/storage";
import { requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { archiveWith } from "../../unit/provider/mirror/archive/archives";

const copy = "docsplatform_bundle_mirror.copy";

interface Options {
  content?: string;
  folder?: string;
  layout?: string;
  createFirst?: boolean;
}

function mirrored({ content = "1", folder = "copies", layout = "archive", createFirst = false }: Options): string {
  return `resource "docsplatform_static_export" "site" {
  domain   = "docs.example.com"
  triggers = "${content}"
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

  it("that is served nowhere are refused by the plan, before anything is started", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, `${mirrored({})}${values}`);
    const { code, output } = await stack.plan();
    expect({ code, starts: platform.starts }).toEqual({ code: 1, starts: 0 });
    expect(output.replace(/\s*\n[│ ]*/g, " ")).toContain(
      "a folder on one machine: set its public_url to the address that serves this folder",
    );
  });

  it("that is served are known after the apply", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const served = mirrored({}).replace("layout ", 'public_url = "https://files.example.com/docs"\n  layout ');
    const stack = await TerraformStack.reattached(platform, `${served}${values}`);
    expect(await stack.apply()).toMatchObject({ code: 0 });
    const { jobId } = platform.jobs.list()[0] ?? { jobId: "" };
    const { staticExport } = stack.output("values") as { staticExport: object };
    expect(staticExport).toMatchObject({ enabled: true, bundleUrl: `https://files.example.com/docs/${jobId}.tar.gz` });
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });
});

describe.skipIf(!requireTool("terraform"))("an archive that is replaced on Terraform", () => {
  it.each([false, true])(
    "stays until its successor is there, also where the new export fails first (create_before_destroy = %s)",
    async (createFirst) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst }));
      expect((await stack.apply()).code).toBe(0);
      const [first] = archivesIn(stack);
      platform.failJobs = "out of pages";
      stack.write(mirrored({ createFirst, content: "2" }));
      const failed = await stack.apply();
      expect(failed.code).toBe(1);
      expect(failed.output.replace(/[\s│]+/g, " ").includes("after its replacement exists")).toBe(!createFirst);
      expect(archivesIn(stack)).toEqual([first]);
      platform.failJobs = undefined;
      const next = await stack.apply();
      expect(next.code, next.output).toBe(0);
      const { attributes } = stack.state(copy) ?? {};
      const second = `${attributes?.job_id}.tar.gz`;
      // When Terraform deletes first, it does not know the first mirror any more.
      expect(archivesIn(stack).sort()).toEqual((createFirst ? [second] : [first, second]).sort());
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    },
  );

  it.each([false, true])(
    "goes once its successor is there, at the same place and at another (create_before_destroy = %s)",
    async (createFirst) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst }));
      const archive = () => `${stack.state(copy)?.attributes.job_id}.tar.gz`;
      expect((await stack.apply()).code).toBe(0);
      stack.write(mirrored({ createFirst, content: "2" }));
      expect((await stack.apply()).code).toBe(0);
      expect(archivesIn(stack)).toEqual([archive()]);
      stack.write(mirrored({ createFirst, content: "2", folder: "others" }));
      const moved = await stack.apply();
      expect(moved.code, moved.output).toBe(0);
      expect([archivesIn(stack), archivesIn(stack, "others")]).toEqual([[], [archive()]]);
      expect((await stack.apply(`-replace=${copy}`)).code).toBe(0);
      expect(archivesIn(stack, "others")).toEqual([archive()]);
      expect((await stack.run("taint", copy)).code).toBe(0);
      expect((await stack.apply()).code).toBe(0);
      expect(archivesIn(stack, "others")).toEqual([archive()]);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      expect((await stack.destroy()).code).toBe(0);
      expect(archivesIn(stack, "others")).toEqual([]);
    },
  );

  it("goes although it is tainted, where its place is known; else the apply says that it stays", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, mirrored({}));
    expect((await stack.apply()).code).toBe(0);
    expect((await stack.run("taint", copy)).code).toBe(0);
    // The plan does not know the job.
    stack.write(mirrored({ content: "2" }));
    expect((await stack.apply()).code).toBe(0);
    const [second, ...others] = archivesIn(stack);
    expect([second, others]).toEqual([`${stack.state(copy)?.attributes.job_id}.tar.gz`, []]);
    expect((await stack.run("taint", copy)).code).toBe(0);
    stack.write(
      mirrored({ folder: "others" }).replace(
        "docsplatform_static_export.site.job_id",
        `"${platform.jobs.list()[0]?.jobId}"`,
      ),
    );
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    expect(archivesIn(stack)).toEqual([second]);
    expect(output.replace(/\s*\n[│ ]*/g, " ")).toMatch(/Warning: the files of \S+copies#\w+ stay Terraform deletes/);
  });

  const layouts = ["archive", "site"] as const;
  const replacements = layouts.flatMap((from) =>
    layouts.flatMap((to) =>
      ["copies", "others"].flatMap((folder) => [false, true].map((createFirst) => ({ from, to, folder, createFirst }))),
    ),
  );
  const isInTheWay = ({ from, to, folder, createFirst }: (typeof replacements)[number]) =>
    from === "archive" && to === "site" && folder === "copies" && createFirst;

  variant.each(replacements.filter((each) => !isInTheWay(each)))(
    "goes, and its successor is there: $from to $to in $folder (create_before_destroy = $createFirst)",
    async ({ from, to, folder, createFirst }) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ layout: from, createFirst }));
      const isThere = (layout: string, place: string) =>
        layout === "site" ? existsSync(join(stack.folder, place, "index.html")) : archivesIn(stack, place).length > 0;
      expect((await stack.apply()).code).toBe(0);
      const before = archivesIn(stack);
      stack.write(mirrored({ layout: to, folder, createFirst, content: "2" }));
      const { code, output } = await stack.apply();
      expect(code, output).toBe(0);
      expect(isThere(to, folder)).toBe(true);
      expect(archivesIn(stack)).not.toEqual(expect.arrayContaining([before[0]]));
      expect(isThere(from, "copies")).toBe(from === to && folder === "copies");
      expect(stack.stateOf(copy)?.instances).toHaveLength(1);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      expect((await stack.destroy()).code).toBe(0);
      expect([isThere("archive", folder), isThere("site", folder)]).toEqual([false, false]);
    },
  );

  variant(
    "is in the way of a site that is to be there first, in the same place, and stays until that may be",
    async () => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst: true }));
      expect((await stack.apply()).code).toBe(0);
      const site = { layout: "site", createFirst: true, content: "2" };
      stack.write(mirrored(site));
      const refused = await stack.apply();
      expect(refused.code, refused.output).toBe(1);
      expect(refused.output).toContain("allow_existing = true");
      expect(archivesIn(stack)).toHaveLength(1);
      stack.write(mirrored(site).replace("  lifecycle", "  allow_existing = true\n  lifecycle"));
      const beside = await stack.apply();
      expect(beside.code, beside.output).toBe(0);
      expect([archivesIn(stack), existsSync(join(stack.folder, "copies", "index.html"))]).toEqual([[], true]);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    },
  );

  it("is deleted first where a site takes its place", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, mirrored({}));
    expect((await stack.apply()).code).toBe(0);
    stack.write(mirrored({ layout: "site" }));
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    expect(archivesIn(stack)).toEqual([]);
    expect(existsSync(join(stack.folder, "copies", "index.html"))).toBe(true);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });
});

describe.skipIf(!requireTool("terraform"))(
  "a mirror that -replace makes anew, of a platform that packs each bundle anew,",
  () => {
    it.each(["archive", "site"])("takes over its own files: layout %s", async (layout) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ layout }));
      await packAnew(platform, 2);
      expect((await stack.apply()).code).toBe(0);
      const before = stack.state(copy)?.attributes.sha256;
      const { code, output } = await stack.apply(`-replace=${copy}`);
      expect(code, output).toBe(0);
      expect(stack.state(copy)?.attributes.sha256).not.toBe(before);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      expect((await stack.destroy()).code).toBe(0);
      expect(filesIn(join(stack.folder, "copies"))).toEqual([]);
    });

    it("is refused with create_before_destroy, since Terraform tells its create nothing of the old one, which stays whole", async () => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(platform, mirrored({ createFirst: true }));
      await packAnew(platform, 3);
      expect((await stack.apply()).code).toBe(0);
      const refused = await stack.apply(`-replace=${copy}`);
      expect(refused.code).toBe(1);
      expect(refused.output.replace(/[\s│]+/g, " ")).toContain("create_before_destroy = false");
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      stack.write(mirrored({}));
      expect((await stack.apply(`-replace=${copy}`)).code).toBe(0);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    });
  },
);

describe.skipIf(!requireTool("terraform"))("a site of another platform, whose job has the same id,", () => {
  it("is published where the export was replaced", async () => {
    const [old, next] = [await terraformPlatform({ jobTime: 0 }), await terraformPlatform({ jobTime: 0 })];
    const stack = await TerraformStack.create(old, mirrored({ layout: "site" }));
    expect((await stack.apply()).code).toBe(0);
    const { jobId = "" } = old.jobs.list()[0] ?? {};
    next.jobs.add({ domain: "docs.example.com", jobId, status: "completed" });
    next.inject({ operation: "startExport", kind: "body", body: { jobId } });
    await packAnew(next, 1);
    stack.environment.DOCS_PLATFORM_BASE_URL = next.baseUrl;
    stack.environment.DOCS_PLATFORM_API_KEY = next.apiKey;
    const { code, output } = await stack.apply("-replace=docsplatform_static_export.site");
    expect(code, output).toBe(0);
    expect(filesIn(join(stack.folder, "copies"))).toContain("packed.txt");
    expect(stack.state(copy)?.attributes.job_id).toBe(jobId);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });
});

describe.skipIf(!requireTool("terraform"))("mirrors of one apply at one place", () => {
  it.each(["archive", "site"])("share it, and the last one removes the files: layout %s", async (layout) => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const three = mirrored({ layout }).replace("layout ", "count = 3\n  layout ");
    const stack = await TerraformStack.reattached(platform, three);
    expect(await stack.apply()).toMatchObject({ code: 0 });
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    stack.write(three.replace("= 3", "= 2"));
    expect(await stack.apply("-refresh=false")).toMatchObject({ code: 0 });
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(filesIn(join(stack.folder, "copies"))).toEqual([]);
  });

  it("are refused where the sites of two jobs would be mixed, and one stays whole", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const two = `${mirrored({ layout: "site" })}${mirrored({ layout: "site", content: "2" })
      .replaceAll(/"(site|copy)" \{/g, '"other_$1" {')
      .replace("static_export.site", "static_export.other_site")}`;
    const stack = await TerraformStack.reattached(platform, two);
    const { code, output } = await stack.apply();
    expect({ code, refused: output.match(/DOCS_DESTINATION/g) }).toEqual({ code: 1, refused: ["DOCS_DESTINATION"] });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(filesIn(join(stack.folder, "copies"))).toEqual([]);
  });
});

describe.skipIf(!requireTool("terraform"))("mirrors of two applies at one place at the same time", () => {
  /** A site of many pages: to write them takes longer than another apply. */
  const siteOf = (text: string) =>
    archiveWith(
      "tar.gz",
      [...Array(2_500).keys()].map((page) => [`${page}/index.html`, text]),
    );

  /** Each link leads to the next archive. The first one may rest in the middle, so that the other apply overtakes it. */
  async function linksTo(platform: Platform, archives: readonly Buffer[], rest: number) {
    for (const [index, bytes] of archives.entries()) {
      const half = bytes.length / 2;
      const server = await serve(async (response) => {
        response.writeHead(200, { "content-length": String(bytes.length) });
        response.write(bytes.subarray(0, half));
        await timer(index === 0 ? rest : 0);
        response.end(bytes.subarray(half));
      });
      const body = { bundleUrl: `${server.url}/bundle`, expiresAt: "2126-01-31T10:00:00Z" };
      platform.inject({ operation: "createBundle", kind: "body", body });
    }
  }

  function folderOfTest(): { shared: string; destination: string; environment: Record<string, string> } {
    const shared = temporaryFolder();
    return { shared, destination: pathToFileURL(shared).href, environment: {} };
  }

  /** Two configurations, each with the mirror of a completed job. */
  async function twoApplies(layout: string, isOneJob: boolean, place = folderOfTest()) {
    const platform = await terraformPlatform();
    const { shared, destination, environment } = place;
    const first = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const second = isOneJob ? first : platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const site = await siteOf("one");
    await linksTo(platform, [site, isOneJob ? site : await siteOf("two")], layout === "archive" ? 6_000 : 0);
    const stackOf = ({ jobId }: { jobId: string }) =>
      TerraformStack.create(
        platform,
        `resource "docsplatform_bundle_mirror" "copy" {
  job_id      = "${jobId}"
  destination = "${destination}"
  layout      = "${layout}"
}
`,
      );
    const stacks = [await stackOf(first), await stackOf(second)];
    for (const stack of stacks) {
      Object.assign(stack.environment, environment);
    }
    const both = (work: (stack: TerraformStack) => Promise<Run>) => Promise.all(stacks.map(work));
    return { shared, both, stacks };
  }

  it.each(campaign ? ["archive", "site"] : ["archive"])(
    "share it, and when both are destroyed at the same time nothing is left: layout %s",
    async (layout) => {
      const { shared, both } = await twoApplies(layout, true);
      expect((await both((stack) => stack.apply())).map(({ code }) => code)).toEqual([0, 0]);
      expect((await both((stack) => stack.plan())).map(({ code }) => code)).toEqual([0, 0]);
      expect((await both((stack) => stack.destroy())).map(({ code }) => code)).toEqual([0, 0]);
      expect(filesIn(shared)).toEqual([]);
    },
  );

  variant("share it in a bucket, and when both are destroyed at the same time nothing is left", async () => {
    const server = await startS3Server();
    onTestFinished(() => server.close());
    const { environment } = server;
    const place = { shared: server.folderOf("shared"), destination: server.destination("shared", "docs"), environment };
    const { both } = await twoApplies("archive", true, place);
    expect((await both((stack) => stack.apply())).map(({ code }) => code)).toEqual([0, 0]);
    expect((await both((stack) => stack.plan())).map(({ code }) => code)).toEqual([0, 0]);
    expect((await both((stack) => stack.destroy())).map(({ code }) => code)).toEqual([0, 0]);
    expect(filesIn(place.shared).filter((name) => !name.startsWith(".sgwtmp"))).toEqual([]);
  });

  variant("are refused where the sites of two jobs would be mixed, and one stays whole", async () => {
    const { shared, both, stacks } = await twoApplies("site", false);
    const runs = await both((stack) => stack.apply());
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(runs.map(({ output }) => output).join()).toContain("DOCS_DESTINATION");
    const whole = stacks[runs.findIndex(({ code }) => code === 0)];
    expect((await whole?.plan())?.code).toBe(0);
    expect((await whole?.destroy())?.code).toBe(0);
    expect(filesIn(shared)).toEqual([]);
  });
});
