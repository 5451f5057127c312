import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ArchiveError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { rejection } from "../../../support/clientUnderTest";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { contentOfPages, siteWorld } from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, storageReply } from "../../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawArchive, packerOf } from "../../../support/strangers/archives";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { bundleMirror } = throwingLifecycles;
const draws = campaign ? 300 : 18;
const site = { "index.html": "<h1>Docs</h1>", "guide/start.html": "<h1>Start</h1>", "assets/": "" };

afterEach(() => vi.unstubAllEnvs());

describe("an archive as the usual packers make it", () => {
  it("is published at the same addresses, whichever packer made it", async () => {
    const wrong: object[] = [];
    const random = seededRandom(campaignSeed());
    for (let draw = 0; draw < draws; draw++) {
      const archive = await drawArchive(random, packerOf(draw), site);
      const { folder, publish } = await siteWorld(archive.bytes);
      const problem = await publish("job-1").then(
        () => undefined,
        (error: Error) => error.message.split("\n")[0],
      );
      const { "index.html": index, "guide/start.html": start } = contentOfPages(folder);
      if (problem !== undefined || index !== site["index.html"] || start !== site["guide/start.html"]) {
        wrong.push({ packer: archive.packer, format: archive.format, problem, index, start });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("and without a file is refused before the first write, and what serves continues", async () => {
    const random = seededRandom(campaignSeed());
    const good = await drawArchive(random, packerOf(0), site);
    const wrong: object[] = [];
    for (let draw = 0; draw < draws; draw++) {
      const packer = packerOf(draw, { withoutFiles: true });
      const layout = random.pick<"archive" | "site">(["archive", "site"]);
      const empty = await drawArchive(random, packer, { "guide/": "", "assets/img/": "" });
      const chunked = random.next() < 0.5;
      const world = await mirrorWorld([storageReply(good.bytes), storageReply(empty.bytes, { chunked })]);
      const inputs = { ...world.inputs, layout };
      const state = await mirrored(world, { layout });
      const before = contentIn(world.folder);
      const next = { ...inputs, jobId: "job-2" };
      const publishing =
        layout === "site"
          ? bundleMirror.update("id", state, next, world.context)
          : bundleMirror.create(next, world.context);
      const error = await rejection(publishing).catch((none: Error) => none);
      const isRefused = error instanceof ArchiveError && error.message.includes("the archive has no file");
      if (!isRefused || JSON.stringify(contentIn(world.folder)) !== JSON.stringify(before)) {
        wrong.push({ packer: empty.packer, format: empty.format, error: error.message.split("\n")[0] });
      }
    }
    expect(wrong).toEqual([]);
  });
});

it.each([
  'attachment; filename="docs-export-2026-03-01.tar.gz"',
  'attachment; filename="../../evil.tar.gz"',
  "attachment; filename*=UTF-8''%2e%2e%2fevil.zip",
  'inline; filename=".bundle-mirror.json"',
])("no file gets the name that the storage gives: Content-Disposition %s", async (name) => {
  const { bytes } = await drawArchive(seededRandom(0), packerOf(0), { "index.html": "<h1>Docs</h1>" });
  const world = await mirrorWorld([storageReply(bytes, { headers: { "content-disposition": name } })]);
  const { format } = await mirrored(world);
  expect(filesIn(world.folder)).toEqual(["job-1.json", `job-1.${format}`, `job-1.${format}.sha256`]);
  await mirrored(world, { layout: "site", destination: `${world.inputs.destination}/site` });
  expect(filesIn(join(world.folder, "site"))).toEqual([".bundle-mirror.json", "index.html"]);
});
