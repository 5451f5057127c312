import { rmSync, statSync, symlinkSync } from "node:fs";
import http from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPort } from "../../support/loopback";
import { canMount, mounted } from "../../support/mirror/mounts";
import { hasTool, requireTool } from "../../support/requireTool";
import { zipOf } from "../../support/zipOf";
import { packedAs } from "../../unit/provider/mirror/archive/archives";
import { tarGzOf } from "./archives";
import { helmExecutable, toolTime } from "./helm";
import { nothing, Pod, toolsets } from "./pod";

/** A symbolic link as Info-ZIP writes it. BusyBox recognizes no other form. */
const link = { method: 0, mode: 0o120777 };

const page = { name: "index.html", content: "one" };
const evil = { content: "evil" };
const long = `${"folder/".repeat(20)}${"page".repeat(30)}.html`;

const good: [string, () => Promise<Buffer> | Buffer, Record<string, string>][] = [
  [".tar.gz", () => tarGzOf([page, { name: "a/b.html", content: "two" }]), { "index.html": "one", "a/b.html": "two" }],
  [
    ".tar.gz with ./",
    () =>
      tarGzOf([
        { name: "./", type: "directory" },
        { ...page, name: "./index.html" },
      ]),
    { "index.html": "one" },
  ],
  [".zip", () => zipOf([page, { name: "a/b.html", content: "two" }]), { "index.html": "one", "a/b.html": "two" }],
  [".tar", () => packed("tar"), { "index.html": "one" }],
  [
    "in a folder, as macOS packs it, beside robots.txt",
    () =>
      zipOf([
        { name: "build/index.html", content: "one" },
        { name: "build/a/b.html" },
        { name: ".DS_Store" },
        { name: "__MACOSX/build/._index.html" },
        { name: "robots.txt" },
      ]),
    { "index.html": "one", "a/b.html": "", ".DS_Store": "", "__MACOSX/build/._index.html": "", "robots.txt": "" },
  ],
  [
    "in a folder through which its pages address each other",
    () => tarGzOf([{ name: "docs/index.html", content: '<a href="/docs/a.html">' }, { name: "docs/a.html" }]),
    { "docs/index.html": '<a href="/docs/a.html">', "docs/a.html": "" },
  ],
  [
    "in a folder through which a page beside it leads",
    () => tarGzOf([{ name: "docs/index.html" }, { name: "404.html", content: "<a href=docs/>" }]),
    { "docs/index.html": "", "404.html": "<a href=docs/>" },
  ],
  [
    "beside another folder",
    () => tarGzOf([{ name: "docs/index.html", content: "one" }, { name: "blog/index.html" }]),
    { "docs/index.html": "one", "blog/index.html": "" },
  ],
];

const hostile: [string, () => Promise<Buffer> | Buffer, string][] = [
  ["an absolute path", () => tarGzOf([page, { name: "/evil", ...evil }]), "holds a path that leads out"],
  ["a path with ..\\ in a .zip", () => zipOf([page, { name: "..\\..\\evil", ...evil }]), "holds a path that leads out"],
  [
    "a symbolic link",
    () => tarGzOf([page, { name: "a", type: "symlink", linkname: "/etc" }]),
    "holds a link or a device",
  ],
  [
    "a symbolic link in a .zip",
    () => zipOf([page, { name: "a", content: "/etc/passwd", ...link }]),
    "holds a link or a device",
  ],
  [
    "a hard link",
    () => tarGzOf([page, { name: "a", type: "link", linkname: "index.html" }]),
    "holds a link or a device",
  ],
  [
    "a device",
    () => tarGzOf([page, { name: "a", type: "character-device", devmajor: 1, devminor: 3 }]),
    "holds a link or a device",
  ],
  [
    "a page behind a link in a .zip",
    () => zipOf([page, { name: "a", content: "../../..", ...link }, { name: "a/evil", ...evil }]),
    "a path that is a file and a folder",
  ],
  ["one path twice", () => tarGzOf([page, { name: "./index.html", ...evil }]), "holds one path twice"],
  ["nothing", () => tarGzOf([]), "is empty"],
  ["a web page", () => Buffer.from("<!doctype html>".repeat(40)), "is neither .tar (as it is, or packed as"],
  ["half of a .tar.gz", async () => half(await tarGzOf([{ ...page, content: noise() }])), "is damaged or cut short"],
  ["half of a .zip", () => half(zipOf([{ ...page, content: noise() }])), "is damaged or cut short"],
  ["more than maxBundleBytes", () => zipOf([{ ...page, content: noise() }]), "has more than maxBundleBytes (4000)"],
  [
    "little that unpacks to more in a .zip, which declares less",
    () => zipOf([{ ...page, content: "0".repeat(9_000_000), size: 10 }]),
    "holds more than maxBundleBytes (40000)",
  ],
  ["a folder a hundred thousand times and once more", () => manyFolders(100_001), "more than 100000 entries"],
  [
    "a path of 33 levels in a .zip",
    () => zipOf([page, { name: `${"d/".repeat(32)}a`, ...evil }]),
    "more than 32 levels",
  ],
  [
    "a path of 1,025 bytes in a .zip",
    () => zipOf([page, { name: `${`${"d".repeat(204)}/`.repeat(5)}`.slice(0, -1).padEnd(1_025, "x"), ...evil }]),
    "a path of more than 1024 bytes",
  ],
  ["folders only", () => tarGzOf([{ name: "docs/", type: "directory" }]), "holds no page (.html)"],
  ["no page", () => zipOf([{ name: "robots.txt" }]), "holds no page (.html)"],
  [
    "a file that is in the folder around the site, too",
    () => tarGzOf([{ name: "docs/index.html" }, { name: "docs/robots.txt" }, { name: "robots.txt" }]),
    "holds robots.txt beside the folder docs, and in it. Set outerFolder to keep.",
  ],
  [
    "little that unpacks to more",
    () => tarGzOf([{ ...page, content: "0".repeat(9_000) }]),
    "holds more than maxBundleBytes (4000)",
  ],
];

async function packed(format: "tar" | "tar.zst", content = page.content): Promise<Buffer> {
  return packedAs(format, gunzipSync(await tarGzOf([{ ...page, content }])));
}

/** Returns an archive with many entries for one folder. */
async function manyFolders(count: number): Promise<Buffer> {
  const header = gunzipSync(await tarGzOf([{ name: "folder/", type: "directory" }])).subarray(0, 512);
  return gzipSync(Buffer.concat([...Array.from({ length: count }, () => header), Buffer.alloc(1_024)]));
}

/** Compression can hardly make this text shorter. */
function noise(): string {
  return Array.from({ length: 3_000 }, () => Math.random().toString(36)).join("");
}

function half(archive: Buffer): Buffer {
  return archive.subarray(0, archive.length / 2);
}

describe.skipIf(!requireTool("go"))("an archive that the init container (Helm is built with go) has fetched", () => {
  const archives: Buffer[] = [];
  // The tests run concurrently. They share one server. The number in a request's path selects the archive.
  const server = http.createServer(({ url = "" }, response) => response.end(archives[Number(url.slice(1))]));
  let origin = "";

  beforeAll(async () => {
    await helmExecutable();
    origin = `http://127.0.0.1:${await openPort(server)}`;
  }, toolTime);

  afterAll(() => {
    server.close();
    Pod.removeAll();
  });

  const linkTo = (archive: Buffer) => `${origin}/${archives.push(archive) - 1}`;

  for (const tools of toolsets) {
    describe(`with ${tools.name}`, { concurrent: true, skip: !tools.there }, () => {
      it.each(good)("%s is unpacked", async (_, archive, pages) => {
        const pod = await Pod.create(tools, linkTo(await archive()), { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0, message: "" });
        expect(Object.fromEntries(pod.pages ?? [])).toEqual(pages);
      });

      it("in one folder is served without that folder, and the log says so", async () => {
        const folders = ["docs/", "empty/"].map((name) => ({ name, type: "directory" }) as const);
        const files = [{ name: "docs/index.html", content: "one" }, { name: "docs/a/index.html" }];
        const pod = await Pod.create(tools, linkTo(await tarGzOf([...folders, ...files])), {
          version: "job-1",
        });
        const { code, log } = await pod.start();
        expect(code).toBe(0);
        expect(Object.fromEntries(pod.pages ?? [])).toEqual({ "index.html": "one", "a/index.html": "" });
        expect(log).toContain(
          "the whole site lies in the folder docs of the archive: it is served without that folder",
        );
      });

      it("in a folder is served as outerFolder says, whatever lies beside it and however its pages are linked", async () => {
        const archive = await tarGzOf([{ name: "docs/index.html", content: '"/docs/"' }, { name: "robots.txt" }]);
        const paths = async (outerFolder: string) => {
          const pod = await Pod.create(tools, linkTo(archive), { version: "job-1" }, { outerFolder });
          await pod.start();
          return [...(pod.pages?.keys() ?? [])].sort();
        };
        expect(await paths("keep")).toEqual(["docs/index.html", "robots.txt"]);
        expect(await paths("remove")).toEqual(["index.html", "robots.txt"]);
        const flat = await Pod.create(
          tools,
          linkTo(await tarGzOf([{ name: "a/a.html" }])),
          {},
          { outerFolder: "remove" },
        );
        expect((await flat.start()).message).toContain("no single folder around the site");
      });

      it("packed by zstd is unpacked where the image has that tool, and refused with its name where it has not", async () => {
        const whole = await packed("tar.zst", noise());
        const outcomes: string[] = [];
        for (const archive of [whole, half(whole)]) {
          const pod = await Pod.create(tools, linkTo(archive), { version: "job-1" });
          const { code, message } = await pod.start();
          outcomes.push(code === 0 ? [...(pod.pages?.keys() ?? [])].join() : message);
        }
        const lacking = "has no zstd. Give images.fetch an image that has it.";
        const wanted =
          tools.busybox || !hasTool("zstd") ? [lacking, lacking] : ["index.html", "is damaged or cut short"];
        expect(outcomes).toEqual(wanted.map((text) => expect.stringContaining(text)));
      });

      it("with modes of no use gets modes with which the server can read it, and nobody else write it", async () => {
        const folder = { name: "a", type: "directory", mode: 0o1700 } as const;
        const archive = await tarGzOf([{ ...page, mode: 0o4002 }, folder, { name: "a/b.html", mode: 0o777 }]);
        const pod = await Pod.create(tools, linkTo(archive), { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0, message: "" });
        const modes = ["index.html", "a", "a/b.html"].map(
          (name) => statSync(pod.path(`site/bundle/pages/${name}`)).mode,
        );
        expect(modes.map((mode) => (mode & 0o7777).toString(8))).toEqual(["644", "755", "755"]);
      });

      it.each(hostile)("with %s is refused, and nothing is left", async (_, archive, reason) => {
        const [, most] = /maxBundleBytes \((\d+)\)/.exec(reason) ?? [];
        const limit = most === undefined ? {} : { maxBundleBytes: Number(most) };
        const pod = await Pod.create(tools, linkTo(await archive()), { version: "job-1" }, limit);
        const { code, message } = await pod.start();
        expect(message).toContain(reason);
        expect(message, "words that tell nothing").not.toContain("not recoverable");
        expect(code).toBe(1);
        expect(pod.left).toEqual(nothing);
      });

      it("with long and foreign file names keeps them, or is refused by a tar that does not know them", async () => {
        const archive = await tarGzOf([
          page,
          { name: long, content: "long" },
          { name: "日本語.html", content: "foreign" },
        ]);
        const pod = await Pod.create(tools, linkTo(archive), { version: "job-1" });
        const { code, message } = await pod.start();
        if (tools.busybox) {
          expect(message).toContain("Give images.fetch an image with curl and GNU tar");
          expect(pod.left).toEqual(nothing);
        } else {
          expect(code).toBe(0);
          expect([...(pod.pages?.keys() ?? [])].sort()).toEqual(["index.html", long, "日本語.html"].sort());
        }
      });
    });

    describe.skipIf(!tools.there || !canMount())(`with ${tools.name}, on a small file system`, () => {
      it("that finds the disk full is not called damaged: the step and the figures are said", async () => {
        const [small, large] = [
          { ...page, content: noise() },
          { ...page, content: "0".repeat(4_000_000) },
        ];
        const archives = [
          ["download", await tarGzOf(Array.from({ length: 90 }, (_, at) => ({ ...small, name: `${at}.html` })))],
          ["unpack", await tarGzOf([large])],
          ["unpack", zipOf([large])],
        ] as const;
        for (const [step, archive] of archives) {
          const pod = await Pod.create(tools, linkTo(archive), { version: "job-1" });
          rmSync(pod.path("site"), { recursive: true });
          symlinkSync(mounted("size=2m"), pod.path("site"));
          const { code, message } = await pod.start();
          expect(message).toMatch(
            new RegExp(
              `the disk is full at the step "${step}": \\d{4,} bytes of the archive .*maxBundleBytes .* free\\.`,
              "s",
            ),
          );
          expect(message).toContain("set resources.fetch.requests.ephemeral-storage");
          expect(code).toBe(1);
          expect(pod.left.site).toEqual([]);
        }
      });
    });
  }
});
