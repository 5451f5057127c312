import { constants, type Dirent, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DestinationError } from "../../support/errors";
import { entriesOfFolder, lstat, mkdir, type OpenFile, open, stat } from "../../support/fileSystem";
import { fsyncFolder } from "../../support/files";
import { words } from "../../support/words";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/**
 * Linux shows this process's open files here. The path `/proc/self/fd/7/a` leads into the folder with the descriptor 7,
 * even if a link has replaced the folder.
 */
const handles = "/proc/self/fd";

const isHolding = () => existsSync(handles);

/**
 * On Linux, the folder stays open, so a link that replaces a folder in the path has no effect. On other systems, a
 * folder that other users may write to is refused.
 */
export class SymlinkSafeFolder {
  private constructor(
    private readonly path: string,
    private readonly handle: OpenFile | undefined,
  ) {}

  /** The root may be a symbolic link, unless other users may write to the folder that contains it. */
  static async root(path: string): Promise<SymlinkSafeFolder> {
    const around = new SymlinkSafeFolder(dirname(path), undefined);
    if (isHolding()) {
      return SymlinkSafeFolder.#open(path, !(await around.#isShared()));
    }
    await around.#requireOwn();
    return new SymlinkSafeFolder(path, undefined);
  }

  /** @throws ELOOP for a symbolic link, unless `followsLink` is true. */
  static async #open(path: string, followsLink: boolean): Promise<SymlinkSafeFolder> {
    if (!followsLink && (await lstat(path)).isSymbolicLink()) {
      throw Object.assign(new Error("a link"), { code: "ELOOP", syscall: "lstat" });
    }
    const flags = O_RDONLY | O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW);
    return new SymlinkSafeFolder(path, isHolding() ? await open(path, flags) : undefined);
  }

  /** Pass the path to one system call only. The call must not follow a link at the end of the path. */
  at(name: string): string {
    return join(this.handle === undefined ? this.path : `${handles}/${this.handle.fd}`, name);
  }

  /** @throws ELOOP if the name is a symbolic link, which could lead out of the destination. */
  async folder(name: string, make: boolean): Promise<SymlinkSafeFolder> {
    if (this.handle === undefined) {
      await this.#requireOwn();
    }
    const path = this.at(name);
    if (make) {
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") {
          throw error;
        }
      });
    }
    return SymlinkSafeFolder.#open(path, false);
  }

  entries(): AsyncGenerator<Dirent> {
    return entriesOfFolder(this.at("."));
  }

  /** Syncs the folder, so that a new name in it survives a power failure. */
  async sync(): Promise<void> {
    await (this.handle === undefined ? fsyncFolder(this.path) : this.handle.sync().catch(() => {}));
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(() => {});
  }

  /** Always false on Windows, which has no file modes. */
  async #isShared(): Promise<boolean> {
    if (process.getuid === undefined) {
      return false;
    }
    const { uid, mode } = await stat(this.path);
    // A folder with the sticky bit is not shared: users can rename and remove only their own files in it.
    const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    return isShared || ![0, process.getuid()].includes(uid);
  }

  /** @throws DestinationError if other users may replace the content of this folder. */
  async #requireOwn(): Promise<void> {
    if (await this.#isShared()) {
      throw new DestinationError({
        happened: `other users may write to the folder ${this.path}, and could lead files out of it`,
        remedy: `give a folder that only this user may write to, or run \`chmod go-w ${this.path}\`; then run \`${words.run}\` again.`,
      });
    }
  }
}
