import { afterEach, describe, expect, it, vi } from "vitest";
import { contentOf, contentOfPages, first, second, siteWorld } from "../../../support/mirror/siteWorld";
import { archiveWith, type Files, formats } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const within = (folder: string, files: Files): Files => files.map(([path, content]) => [`${folder}/${path}`, content]);
const said = (folder: string) =>
  `the whole site is in the folder "${folder}" of the archive: it is published without that folder`;

describe("a single folder around the whole site", () => {
  it.each(formats)("is taken off a %s, and that is said once", async (format) => {
    const { folder, publish, infos } = await siteWorld(await archiveWith(format, within("site-7", first)));
    await publish("job-1");
    expect(contentOfPages(folder)).toEqual(contentOf(first));
    expect(infos).toEqual([said("site-7")]);
  });

  it("is taken off whatever the next archive calls it: pages keep their addresses, and no old file stays", async () => {
    const archives = [within("site-7", first), second, within("site-8", first)];
    const [one, two, three] = (await Promise.all(archives.map((files) => archiveWith("tar.gz", files)))) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const { folder, publish, infos } = await siteWorld(one, two, three);
    let state = await publish("job-1");
    state = await publish("job-2", state);
    expect(contentOfPages(folder)).toEqual(contentOf(second));
    state = await publish("job-3", state);
    expect(contentOfPages(folder)).toEqual(contentOf(first));
    expect(infos).toEqual([said("site-7"), said("site-8")]);
  });

  it.each<[string, Files]>([
    ["of which the index page is missing", [["docs/start.html", "x"]]],
    [
      "beside which a file lies",
      [
        ["docs/index.html", "x"],
        ["robots.txt", "x"],
      ],
    ],
    [
      "beside which another folder lies",
      [
        ["docs/index.html", "x"],
        ["blog/index.html", "x"],
      ],
    ],
    ["whose index page lies deeper", [["docs/en/index.html", "x"]]],
    [
      "that another one has in other case",
      [
        ["docs/index.html", "x"],
        ["Docs/a.html", "x"],
      ],
    ],
  ])("is kept as a folder of the site: one %s", async (_, files) => {
    const { folder, publish, infos } = await siteWorld(await archiveWith("tar.gz", files));
    await publish("job-1");
    expect(contentOfPages(folder)).toEqual(contentOf(files));
    expect(infos).toEqual([]);
  });
});
