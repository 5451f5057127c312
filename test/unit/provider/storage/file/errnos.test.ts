import { mkdirSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { getSystemErrorMap } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../../provider/definitions/bundleMirror";
import { FolderJournal } from "../../../../../provider/journal/folderJournal";
import { UnusableJournalError } from "../../../../../provider/journal/journal";
import { timeLimits } from "../../../../../provider/support/time/timeLimits";
import { campaign } from "../../../../support/campaign";
import { type MirrorWorld, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { contentIn, filesIn, storageReply } from "../../../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../../../support/random";
import { replaceInBuiltin } from "../../../../support/replaceInBuiltin";
import { folderForTemporaryFiles, temporaryFolder } from "../../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../../support/throwingLifecycles";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

/* Each file system call of a mirror or a journal fails with each error, or hangs. `npm test` runs only random cases. */

const errors = ["EROFS", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "EIO", "EMFILE", "ENFILE", "EBUSY", "ESTALE"] as const;
/** With this code, the call and all later calls never return, as on a network drive that hangs. */
const hang = "hang";
const codes = [...errors, hang] as const;
const { fileCall, fileFlush } = timeLimits;
const errnos = new Map([...getSystemErrorMap()].map(([errno, [code, text]]) => [code, { errno, text }]));

/** The text of every error must match this pattern. */
const words =
  /read-only|disk is full|quota|permission is denied|not permitted|reports an error|too many files are open|in use|was lost|did not answer in time/;

function failure(code: string, syscall: string): NodeJS.ErrnoException {
  // If Node.js on this system does not know the code, the test uses default values.
  const { errno = -1, text = "error" } = errnos.get(code) ?? {};
  return Object.assign(new Error(`${code}: ${text}, ${syscall}`), { code, errno, syscall });
}

const writing = ["mkdir", "mkdtemp", "rename", "rm", "rmdir", "unlink"];

/** After EROFS, all later changes fail too. A recursive mkdir then fails with ENOENT, as in Node.js. */
function watchFiles() {
  const waiting: ((error: Error) => void)[] = [];
  const seen = {
    calls: [] as string[],
    syscall: "",
    plan: undefined as { at: number; code: string } | undefined,
    /** Ends the case, and lets all hanging calls fail. */
    async end() {
      seen.plan = undefined;
      Object.assign(timeLimits, { fileCall, fileFlush });
      for (const fail of waiting.splice(0)) {
        fail(failure("EIO", "read"));
      }
      await new Promise(setImmediate);
    },
  };
  const fails = (syscall: string): boolean => {
    const { at, code } = seen.plan ?? { at: 0, code: "" };
    const call = seen.plan === undefined ? 0 : seen.calls.push(syscall);
    const goesOn = code === hang || (code === "EROFS" && writing.includes(syscall));
    return at > 0 && (call === at || (call > at && goesOn));
  };
  const hit = async (syscall: string, path: unknown, options?: unknown) => {
    if (fails(syscall)) {
      seen.syscall = syscall;
      if (seen.plan?.code === hang) {
        // Calls in the temporary folder never hang, because this folder is on the machine's own disk.
        const isHere = String(path).startsWith(String(process.env.TMPDIR));
        return isHere ? undefined : new Promise<never>((_, reject) => waiting.push(reject));
      }
      const code = seen.plan?.code ?? "";
      const isHidden =
        code === "EROFS" && (options as { recursive?: boolean })?.recursive === true && syscall === "mkdir";
      throw failure(isHidden ? "ENOENT" : code, syscall);
    }
    return undefined;
  };
  const held = (handle: FileHandle, path: unknown): FileHandle =>
    new Proxy(handle, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (
          typeof value !== "function" ||
          !["sync", "writeFile", "readFile", "stat", "read", "close"].includes(String(key))
        ) {
          return typeof value === "function" ? value.bind(target) : value;
        }
        return async (...given: unknown[]) => {
          if (key === "close") {
            await value.apply(target, given);
            await hit("close", path);
            return;
          }
          await hit(String(key), path);
          return value.apply(target, given);
        };
      },
    });
  replaceInBuiltin("node:fs/promises", (real) =>
    Object.fromEntries(
      ["mkdir", "mkdtemp", "open", "opendir", "readdir", "lstat", "stat", "rename", "rm", "rmdir", "unlink"].map(
        (name) => [
          name,
          async (...given: unknown[]) => {
            await hit(name, given[0], given[1]);
            const result = await (real[name] as (...given: unknown[]) => unknown)(...given);
            return name === "open" ? held(result as FileHandle, given[0]) : result;
          },
        ],
      ),
    ),
  );
  replaceInBuiltin("node:fs", (real) => ({
    createWriteStream: (...given: unknown[]) =>
      fails("write") && seen.plan?.code !== hang
        ? new Writable({ write: (_, __, done) => done(failure(seen.plan?.code ?? "", "write")) })
        : (real.createWriteStream as (...given: unknown[]) => unknown)(...given),
  }));
  return seen;
}

/** Outside the campaign, each call fails with one random code, and each mkdir also with EROFS. */
function cellsOf(calls: readonly string[]): { at: number; code: string }[] {
  const random = seededRandom(campaignSeed());
  return calls.flatMap((syscall, index) => {
    const drawn = [random.pick(codes), ...(syscall === "mkdir" ? ["EROFS" as const] : [])];
    return [...new Set(campaign ? codes : drawn)].map((code) => ({ at: index + 1, code }));
  });
}

/** Returns the text of an error that does not help a user. Returns undefined if the error helps. */
function untold(error: unknown, folders: readonly string[]): string | undefined {
  // Only the text of an error is checked, because a host shows nothing else of it.
  const text = error instanceof Error ? error.message : String(error);
  const message = error instanceof UnusableJournalError ? `${folders[0]} ${text} ${error.remedy}` : text;
  if (!(error instanceof UnusableJournalError || text.startsWith("DOCS_DESTINATION"))) {
    return `a raw error: ${error}`;
  }
  const isTold =
    words.test(message) && !/\bE[A-Z]{2,}: /.test(message) && folders.some((folder) => message.includes(folder));
  return isTold ? undefined : message;
}

afterEach(() => vi.unstubAllEnvs());

const isPartial = (name: string) => /^\.mirror-[0-9a-f]{16}\.partial$/.test(name);

describe.each(["archive", "site"] as const)("a mirror of layout %s in a folder", (layout) => {
  it("shows each fault of the file system in words, and the next run ends as if there had been none", async () => {
    const files = await archiveWith("tar.gz", [
      ["index.html", "<h1>Docs</h1>"],
      ["guide/start.html", "<h1>Start</h1>"],
    ]);
    const [base, temporary] = [temporaryFolder(), folderForTemporaryFiles()];
    const seen = watchFiles();
    const world = await mirrorWorld([storageReply(files)]);
    let count = 0;
    const newPlace = (folder = `${base}/${count++}/new`): MirrorWorld => ({
      ...world,
      folder,
      inputs: { ...world.inputs, layout, destination: pathToFileURL(folder).href },
    });
    const create = ({ inputs, context }: MirrorWorld) => bundleMirror.create(inputs, context);
    await create(newPlace());
    const usual = newPlace();
    seen.plan = { at: 0, code: "" };
    await create(usual);
    const cells = cellsOf(seen.calls);
    const whole = filesIn(usual.folder);
    const wrong: string[] = [];
    for (const plan of cells) {
      const cell = newPlace();
      Object.assign(seen, { calls: [], plan });
      Object.assign(timeLimits, plan.code === hang ? { fileCall: 200, fileFlush: 200 } : {});
      const ended: { state?: BundleMirrorState; problem?: unknown } = await create(cell).catch((error: unknown) => ({
        problem: error,
      }));
      const { state, problem } = ended;
      await seen.end();
      const name = `${plan.code} at call ${plan.at}`;
      const missing = problem && untold(problem, [cell.folder, temporary]);
      if (missing) {
        wrong.push(`${name}: ${missing}`);
      }
      const next =
        problem &&
        (state ? bundleMirror.update("id", state, cell.inputs, cell.context) : create(cell).then((made) => made.state));
      const after = await Promise.resolve(next).catch((error: unknown) => error);
      const there = contentIn(cell.folder);
      if (
        after instanceof Error ||
        JSON.stringify(Object.keys(there).filter((file) => !isPartial(file))) !== JSON.stringify(whole)
      ) {
        wrong.push(`${name}, next run: ${after instanceof Error ? after.message : Object.keys(there)}`);
      }
      // A temporary file may still exist if its removal has failed. The process removes such a file at its exit.
      if (filesIn(temporary).length > 0 && plan.code !== "EROFS" && seen.syscall !== "rm") {
        wrong.push(`${name}: temporary files stay: ${filesIn(temporary)}`);
      }
      rmSync(temporary, { recursive: true });
      mkdirSync(temporary);
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});

describe("a journal in a folder", () => {
  const entry = "0123456789abcdef0123456789abcdef";
  it("shows each fault of the file system in words, and the next run can use it", async () => {
    const seen = watchFiles();
    const work = async (journal: FolderJournal) => {
      await journal.write(entry, "{}");
      await journal.list("");
      await journal.read(entry);
      await journal.remove(entry);
    };
    const count = new FolderJournal(`${temporaryFolder()}/a/b`);
    seen.plan = { at: 0, code: "" };
    await work(count);
    const cells = cellsOf(seen.calls);
    const wrong: string[] = [];
    for (const plan of cells) {
      const folder = `${temporaryFolder()}/a/b`;
      Object.assign(seen, { calls: [], plan });
      Object.assign(timeLimits, plan.code === hang ? { fileCall: 200, fileFlush: 200 } : {});
      const error: unknown = await work(new FolderJournal(folder)).catch((fault: unknown) => fault);
      await seen.end();
      const missing = error && untold(error, [folder]);
      if (missing) {
        wrong.push(`${plan.code} at call ${plan.at}: ${missing}`);
      }
      await work(new FolderJournal(folder)).catch((fault: unknown) =>
        wrong.push(`${plan.code} at call ${plan.at}, next run: ${fault}`),
      );
    }
    expect(wrong).toEqual([]);
  });
});
