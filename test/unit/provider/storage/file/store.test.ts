import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { FolderJournal } from "../../../../../provider/journal/folderJournal";
import { FileStore } from "../../../../../provider/storage/file/store";
import { DestinationError, RunCancelledError } from "../../../../../provider/support/errors";
import { timeLimits } from "../../../../../provider/support/time/timeLimits";
import { projectRoot } from "../../../../../tools/projectRoot";
import { never, rejection } from "../../../../support/clientUnderTest";
import { canMount, canMountHung, hungFolder, mounted } from "../../../../support/mirror/mounts";
import { contentIn, filesIn, gzipLike, sha256Of } from "../../../../support/mirror/storage";
import { replaceInBuiltin } from "../../../../support/replaceInBuiltin";
import { temporaryFolder } from "../../../../support/temporaryFolder";

const text = "text/plain";
const options = { contentType: text, signal: never };

async function* chunksOf(...chunks: (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) {
      throw chunk;
    }
    yield Buffer.from(chunk);
  }
}

function storeIn(folder = temporaryFolder()): { store: FileStore; folder: string } {
  const store = new FileStore({ kind: "file", folder }, never);
  onTestFinished(() => store.close());
  return { store, folder };
}

async function collected(store: FileStore): Promise<string[]> {
  const names: string[] = [];
  for await (const name of store.list()) {
    names.push(name);
  }
  return names;
}

describe("put", () => {
  it("writes the whole content under its name, in folders that it makes", async () => {
    const { store, folder } = storeIn();
    const large = gzipLike(5 * 1024 ** 2 + 7);
    const seen = await store.put("a/b/c.bin", chunksOf(large.subarray(0, 100), large.subarray(100)), options);
    expect(seen).toMatchObject({ sizeBytes: large.length });
    expect(sha256Of(readFileSync(join(folder, "a/b/c.bin")))).toBe(sha256Of(large));
    expect(filesIn(folder)).toEqual(["a/b/c.bin"]);
  });

  it("writes an empty content", async () => {
    const { store, folder } = storeIn();
    expect(await store.put("empty", chunksOf(), options)).toMatchObject({ sizeBytes: 0 });
    expect(contentIn(folder)).toEqual({ empty: "" });
  });

  it("shows nothing under the name until it is whole, and the old file until then", async () => {
    const { store, folder } = storeIn();
    await store.put("a", chunksOf("old"), options);
    async function* looking(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(3 * 1024 ** 2);
      expect(readFileSync(join(folder, "a"), "utf8")).toBe("old");
      yield Buffer.from("end");
    }
    await store.put("a", looking(), options);
    expect(statSync(join(folder, "a")).size).toBe(3 * 1024 ** 2 + 3);
  });

  it("leaves the old file and no part of the new one if the content breaks, and throws the content's error", async () => {
    const { store, folder } = storeIn();
    await store.put("a", chunksOf("old"), options);
    const broken = new Error("broken");
    expect(await rejection(store.put("a", chunksOf("new", broken), options))).toBe(broken);
    expect(contentIn(folder)).toEqual({ a: "old" });
  });

  it("that is cancelled at its end leaves what was there", async () => {
    const { store, folder } = storeIn();
    const controller = new AbortController();
    async function* cancelling(): AsyncGenerator<Buffer> {
      yield Buffer.from("new");
      controller.abort();
    }
    const put = store.put("a", cancelling(), { contentType: text, signal: controller.signal });
    expect(await rejection(put)).toBeInstanceOf(RunCancelledError);
    expect(filesIn(folder)).toEqual([]);
  });

  it("shows a new revision for each write, also of the same bytes within one tick of the file system's clock", async () => {
    const { store } = storeIn();
    let last = await store.put("a", chunksOf("same"), options);
    for (let write = 0; write < 20; write++) {
      const next = await store.put("a", chunksOf("same"), options);
      expect(next.sizeBytes).toBe(last.sizeBytes);
      expect(next.revision).not.toBe(last.revision);
      last = next;
    }
    expect((await store.stat(["a"])).get("a")).toEqual(last);
  });

  it("removes what a run that was killed has left there over an hour ago, and nothing else", async () => {
    const { store, folder } = storeIn();
    const [abandoned, busy, other] = [
      `.mirror-${"0".repeat(16)}.partial`,
      `.mirror-${"1".repeat(16)}.partial`,
      ".mirror-x",
    ];
    for (const name of [abandoned, busy, other]) {
      writeFileSync(join(folder, name), "part");
    }
    const before = Date.now() / 1_000 - 3_700;
    utimesSync(join(folder, abandoned), before, before);
    utimesSync(join(folder, other), before, before);
    await store.put("a", chunksOf("new"), options);
    expect(filesIn(folder)).toEqual([busy, other, "a"].sort());
  });

  it("leaves nothing of its own behind, and removes no folder of others, where the process ends in the middle", () => {
    const folder = temporaryFolder();
    for (const name of ["released", "held"]) {
      writeFileSync(join(folder, name), "");
    }
    for (const name of ["own", "put by others"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "file"), "");
    }
    const script = `
      const { removeAtExit } = require("./provider/support/files");
      removeAtExit(process.argv[1] + "/held");
      removeAtExit(process.argv[1] + "/put by others");
      removeAtExit(process.argv[1] + "/own", { recursive: true });
      removeAtExit(process.argv[1] + "/released").release();
      process.exit(3);`;
    const { status } = spawnSync(process.execPath, ["--import", "tsx", "-e", script, folder], { cwd: projectRoot });
    expect(status).toBe(3);
    expect(filesIn(folder)).toEqual(["put by others/file", "released"]);
  });
});

describe("stat, read, sha256 and remove", () => {
  it("find what is there, and nothing where it is not", async () => {
    const { store } = storeIn();
    await store.put("a/b", chunksOf("text"), options);
    expect([...(await store.stat(["a/b", "c", "a/b/c"])).keys()]).toEqual(["a/b"]);
    expect(await store.read("a/b", 100)).toBe("text");
    expect(await store.read("c", 100)).toBeUndefined();
    expect(await store.sha256("a/b")).toBe(sha256Of("text"));
  });

  it("take no folder for a file", async () => {
    const { store, folder } = storeIn();
    await store.put("a/b", chunksOf("text"), options);
    expect(await store.stat(["a", "a/b/c"])).toEqual(new Map());
    expect(await store.read("a", 100)).toBe("");
    await store.remove(["a", "a/b/c"]);
    expect(contentIn(folder)).toEqual({ "a/b": "text" });
  });

  it("remove the empty folders that the files were in, and no others", async () => {
    const { store, folder } = storeIn();
    for (const name of ["a/b/c", "a/d/e", "f/g"]) {
      await store.put(name, chunksOf("x"), options);
    }
    mkdirSync(join(folder, "empty"));
    await store.remove(["a/b/c", "f/g", "never/there"]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["a", "a/d", "a/d/e", "empty"]);
  });

  it("show the file's own address, with what an address cannot contain escaped", () => {
    const { store, folder } = storeIn();
    expect(store.address("a%2Fb c.tar.gz")).toBe(`${pathToFileURL(folder).href}/a%252Fb%20c.tar.gz`);
    expect(store.address("")).toBe(`${pathToFileURL(folder).href}/`);
  });
});

describe("a link in the destination", () => {
  function linked() {
    const [outside, folder] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(outside, "a"), "theirs");
    mkdirSync(join(outside, "empty"));
    symlinkSync(outside, join(folder, "link"));
    symlinkSync(join(outside, "a"), join(folder, "file"));
    return { outside, folder, store: storeIn(folder).store };
  }

  it("to a folder is not followed by any method", async () => {
    const { outside, store } = linked();
    expect((await rejection(store.put("link/new", chunksOf("x"), options))).message).toContain(
      "a symbolic link is in the place",
    );
    expect(await store.stat(["link/a", "file"])).toEqual(new Map());
    expect(await store.read("link/a", 100)).toBeUndefined();
    await store.remove(["link/a", "link/empty/x"]);
    expect(readdirSync(outside).sort()).toEqual(["a", "empty"]);
  });

  it("is listed as what it is, and not removed as a file", async () => {
    const { folder, store } = linked();
    expect((await collected(store)).sort()).toEqual(["file", "link"]);
    await store.remove(["file"]);
    expect(readdirSync(folder).sort()).toEqual(["file", "link"]);
  });

  it("may be the destination itself", async () => {
    const { outside, folder } = linked();
    const { store } = storeIn(join(folder, "link"));
    await store.put("b", chunksOf("x"), options);
    expect(contentIn(outside)).toEqual({ a: "theirs", b: "x" });
  });
});

describe("list", () => {
  it("shows every file by its path, but none that is on its way, and nothing where there is no folder", async () => {
    const { store, folder } = storeIn();
    await store.put("a/b/c", chunksOf("x"), options);
    writeFileSync(join(folder, `.mirror-${"1".repeat(16)}.partial`), "part");
    writeFileSync(join(folder, "d"), "x");
    expect((await collected(store)).sort()).toEqual(["a/b/c", "d"]);
    expect(await collected(storeIn(join(folder, "none")).store)).toEqual([]);
  });
});

async function failedPut(folder: string, content = chunksOf("new")): Promise<string> {
  const error = await rejection(storeIn(folder).store.put("a", content, options));
  expect(error).toBeInstanceOf(DestinationError);
  return error.message;
}

describe.skipIf(process.platform === "win32")("what is no file, under the name of one,", () => {
  const kinds: Record<string, (path: string) => void> = {
    "a folder": (path) => mkdirSync(path),
    "a link": (path) => symlinkSync("/etc/hostname", path),
    "a pipe": (path) => void spawnSync("mkfifo", [path]),
  };

  it.each(Object.entries(kinds))("%s, is never waited for, read, replaced or removed", async (_, make) => {
    const { store, folder } = storeIn();
    make(join(folder, "a"));
    const { ino } = lstatSync(join(folder, "a"));
    expect(await store.read("a", 100)).toBe("");
    expect((await store.stat(["a"])).size).toBe(0);
    expect(await rejection(store.put("a", chunksOf("new"), options))).toBeInstanceOf(DestinationError);
    await store.remove(["a"]);
    expect(lstatSync(join(folder, "a")).ino).toBe(ino);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("a pipe that gets the name between two calls, is not waited for", async () => {
    const { store, folder } = storeIn();
    await store.put("a", chunksOf("text"), options);
    replaceInBuiltin("node:fs/promises", ({ open }) => ({
      open: (path: string, flags: number) => {
        if (path.endsWith("/a")) {
          unlinkSync(join(folder, "a"));
          spawnSync("mkfifo", [join(folder, "a")]);
        }
        return (open as typeof openFile)(path, flags);
      },
    }));
    expect(await store.read("a", 100)).toBe("");
  });
});

describe("a folder that cannot be used is reported with the reason:", () => {
  it("a file in its place", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await failedPut(file)).toContain("a file is in the place of a folder");
  });

  it("a folder in the place of the file", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a"));
    expect(await failedPut(folder)).toContain("a folder, a link or a device is in the place of a file (EISDIR");
    expect(filesIn(folder)).toEqual([]);
  });

  it("no right to make it", async () => {
    expect(await failedPut("/sys/mirror-test")).toMatch(/permission is denied|not permitted|read-only/);
  });

  it.runIf(process.platform === "linux")("a parent in which the system makes no folder, after one try", async () => {
    expect(await failedPut("/proc/docs/deep")).toContain("it does not exist and cannot be created (ENOENT, mkdir)");
  });
});

describe.skipIf(!canMountHung())("on a network drive that hangs (skipped without the right to mount)", () => {
  const { fileCall } = timeLimits;
  afterEach(() => void Object.assign(timeLimits, { fileCall }));

  it("each operation ends by an error that names the folder, and the process can end", async () => {
    const folder = hungFolder();
    Object.assign(timeLimits, { fileCall: 200 });
    const { store } = storeIn(folder);
    const operations = [
      () => store.put("a", chunksOf("new"), options),
      () => store.stat(["a"]),
      () => store.remove(["a"]),
      () => collected(store),
      () => new FolderJournal(folder).write("entry", "text"),
    ];
    for (const operation of operations) {
      expect((await rejection(operation())).message).toContain("the file system did not answer in time (ETIMEDOUT, ");
    }
    expect((await rejection(store.read("a", 100))).message).toContain(`the folder ${folder} cannot be used`);
    const program = `import { lstat } from ${JSON.stringify(join(projectRoot, "provider/support/fileSystem.ts"))};
import { timeLimits } from ${JSON.stringify(join(projectRoot, "provider/support/time/timeLimits.ts"))};
timeLimits.fileCall = 200;
lstat(${JSON.stringify(folder)}).catch(() => process.exit());`;
    const ended = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      cwd: projectRoot,
      timeout: 60_000,
      killSignal: "SIGTERM",
    });
    expect(ended.signal, String(ended.stderr)).toBe("SIGKILL");
  });
});

describe.skipIf(!canMount())("on a file system that the test mounts (skipped without the right to)", () => {
  it("a full disk is reported as such, and nothing is left there", async () => {
    const folder = mounted("size=2m");
    const content = chunksOf(...Array.from({ length: 64 }, () => gzipLike(64 * 1024)));
    const message = await failedPut(folder, content);
    expect(message).toMatch(/the disk is full \(ENOSPC, write\): at least \d{7} bytes are needed/);
    expect(message).toContain("free some space there");
    expect(filesIn(folder)).toEqual([]);
  });
});
