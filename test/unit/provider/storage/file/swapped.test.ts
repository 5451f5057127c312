import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileStore } from "../../../../../provider/storage/file/store";
import { DestinationError } from "../../../../../provider/support/errors";
import { campaign } from "../../../../support/campaign";
import { never, rejection } from "../../../../support/clientUnderTest";
import { campaignSeed } from "../../../../support/random";
import { replaceInBuiltin } from "../../../../support/replaceInBuiltin";
import { temporaryFolder } from "../../../../support/temporaryFolder";

/** Before each call of the file system, calls `before` with the number of this call. */
function watchCalls(before: (call: number) => void): void {
  let count = 0;
  const watched = ([name, value]: [string, unknown]): [string, unknown] => [
    name,
    (...given: unknown[]) => {
      before(++count);
      return (value as (...given: unknown[]) => unknown)(...given);
    },
  ];
  replaceInBuiltin("node:fs/promises", (real) =>
    Object.fromEntries(
      Object.entries(real)
        .filter(([, value]) => typeof value === "function")
        .map(watched),
    ),
  );
}

const options = { contentType: "text/plain", signal: never };
const text = (content: string) =>
  (async function* () {
    yield Buffer.from(content);
  })();

const works: Record<string, (store: FileStore) => Promise<unknown>> = {
  "put of a new file": (store) => store.put("a/b/new", text("ours"), options),
  "put of a new folder": (store) => store.put("a/b/c/d/new", text("ours"), options),
  "put of a file again": (store) => store.put("a/b/file", text("ours"), options),
  stat: (store) => store.stat(["a/b/file", "a/b/c/file"]),
  read: (store) => store.read("a/b/file", 100),
  content: (store) => buffer(store.content("a/b/file")),
  list: async (store) => {
    for await (const _ of store.list()) {
      // The loop only reads to the end.
    }
  },
  remove: (store) => store.remove(["a/b/file", "a/b/c/file", "a/file"]),
};

/** Makes the files of the destination, or files with the same paths outside of the destination. */
function treeAt(root: string, content: string): void {
  mkdirSync(join(root, "a/b/c"), { recursive: true });
  for (const file of ["a/file", "a/b/file", "a/b/c/file"]) {
    writeFileSync(join(root, file), content);
  }
  mkdirSync(join(root, "a/b/empty"));
}

function inodesIn(root: string): unknown[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .sort()
    .map((path) => {
      const { ino, mode, ctimeMs } = lstatSync(join(root, path));
      return [path, ino, mode, ctimeMs, lstatSync(join(root, path)).isFile() && readFileSync(join(root, path), "utf8")];
    });
}

/** Replaces a component of the path by a link into `outside`. If the component is already a link, restores it. */
function swap(folder: string, outside: string, component: string): void {
  const path = join(folder, component);
  const kept = join(dirname(folder), `kept-${component.replaceAll("/", "-")}`);
  try {
    if (realpathSync(dirname(path)) !== dirname(path)) {
      // A parent of the component is a link now, and the attacker has no rights in the link's target.
      return;
    }
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      unlinkSync(path);
      renameSync(kept, path);
    } else {
      renameSync(path, kept);
      symlinkSync(join(outside, component), path);
    }
  } catch {
    // A swap fails if the component does not exist at this step.
  }
}

describe.each(Object.entries(works))("%s", (_, work) => {
  it.runIf(process.platform === "linux")(
    "changes no inode outside of the destination, whatever component is swapped between any two calls",
    async () => {
      let calls = 0;
      let onCall = (_: number) => {};
      watchCalls((call) => {
        calls = call;
        onCall(call);
      });
      const drawn = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom("", "a", "a/b", "a/b/c")), {
        minLength: 1,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(drawn, async (swaps) => {
          const [around, outside] = [temporaryFolder(), temporaryFolder()];
          // The attacker may write to the parent folder of the destination, and so can replace the destination itself.
          chmodSync(around, 0o777);
          const folder = join(around, "site");
          treeAt(folder, "ours");
          treeAt(outside, "theirs");
          const before = inodesIn(outside);
          const store = new FileStore({ kind: "file", folder }, never);
          const first = calls;
          onCall = (call) => {
            for (const [, component] of swaps.filter(([step]) => first + step === call)) {
              swap(folder, outside, component);
            }
          };
          await work(store).catch(() => {});
          onCall = () => {};
          store.close();
          expect(calls).toBeGreaterThan(first);
          expect(inodesIn(outside)).toEqual(before);
        }),
        { seed: campaignSeed(), numRuns: campaign ? 200 : 15 },
      );
    },
    30_000,
  );
});

describe.runIf(process.platform === "linux")("a destination that is a link", () => {
  const through = (mode: number) => {
    const [around, target] = [temporaryFolder(), temporaryFolder()];
    chmodSync(around, mode);
    const folder = join(around, "site");
    symlinkSync(target, folder);
    const store = new FileStore({ kind: "file", folder }, never);
    onTestFinished(() => store.close());
    return { target, put: store.put("a", text("ours"), options) };
  };

  it("is followed, unless others may write to the folder around it", async () => {
    for (const mode of [0o755, 0o1777]) {
      const { target, put } = through(mode);
      await put;
      expect(readdirSync(target)).toEqual(["a"]);
    }
    const { target, put } = through(0o777);
    expect((await rejection(put)).message).toContain("a symbolic link is in the place of a folder");
    expect(readdirSync(target)).toEqual([]);
  });
});

describe.skipIf(process.getuid === undefined)("where the system cannot keep a folder open, a destination", () => {
  const written = async (mode: number) => {
    const folder = temporaryFolder();
    treeAt(folder, "old");
    chmodSync(join(folder, "a"), mode);
    replaceInBuiltin("node:fs", () => ({ existsSync: () => false }));
    const store = new FileStore({ kind: "file", folder }, never);
    onTestFinished(() => store.close());
    return { folder, put: store.put("a/b/file", text("new"), options) };
  };

  it("with a folder that others may write to is refused, with the command that repairs it", async () => {
    for (const mode of [0o775, 0o757]) {
      const { folder, put } = await written(mode);
      const error = await rejection(put);
      expect(error).toBeInstanceOf(DestinationError);
      expect(error.message).toContain(`chmod go-w ${join(folder, "a")}`);
      expect(readFileSync(join(folder, "a/b/file"), "utf8")).toBe("old");
    }
  });

  it("is written if it belongs to this user alone, also within a folder that is sticky", async () => {
    for (const mode of [0o755, 0o1777]) {
      const { folder, put } = await written(mode);
      await put;
      expect(readFileSync(join(folder, "a/b/file"), "utf8")).toBe("new");
    }
  });
});
