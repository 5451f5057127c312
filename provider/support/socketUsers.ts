import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

interface SocketEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
  localPort?: number | undefined;
}

/** The tables of sockets of this network namespace. In each table, an IPv4 address begins with `prefix`. */
const tables = [
  { file: "/proc/net/tcp", prefix: "" },
  { file: "/proc/net/tcp6", prefix: words([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) },
] as const;

let lastRead: Promise<unknown> = Promise.resolve();
let nextRead: Promise<SocketUsers> | undefined;

/**
 * Resolves with true if the other end of a loopback connection belongs to this user. Only Linux shows the users of
 * connections; on other systems the result is always true. The result is false if the other end is closed or the system
 * does not show it.
 */
export async function isPeerOfThisUser({ remoteAddress, remotePort, localAddress, localPort }: SocketEnds) {
  // The addresses and ports are copied before the wait, because a socket that is closed during the wait loses them.
  const ends = { remoteAddress, remotePort, localAddress, localPort };
  return process.platform !== "linux" || (await socketUsers()).ofPeer(ends) === process.geteuid?.();
}

/** Resolves with true if the system shows that another user listens on a port of this machine. */
export async function isUsedByAnotherUser(port: number): Promise<boolean> {
  return (
    process.platform === "linux" &&
    (await socketUsers()).ofListeners(port).some((listener) => listener !== process.geteuid?.())
  );
}

/** @throws Error if this system does not show the users of connections. No client could then be accepted. */
export function requireSocketTables(): void {
  if (process.platform !== "linux") {
    return;
  }
  try {
    readFileSync(tables[0].file);
  } catch {
    throw new Error(
      `The plugin serves only its own user, and this system does not show which user has a connection: ${tables[0].file} cannot be read. Nothing was sent. Mount /proc, then run the command again.`,
    );
  }
}

/**
 * Reads the tables of sockets of the system. The read begins after this call, so the result is up to date. Only one
 * read runs at a time, and all calls during this read share the next read. So even if another user has thousands of
 * sockets, a call takes no longer than two reads.
 */
function socketUsers(): Promise<SocketUsers> {
  nextRead ??= lastRead.then(async () => {
    nextRead = undefined;
    // A missing file counts as an empty table, because a system without IPv6 lacks one of these files.
    const texts = await Promise.all(tables.map(({ file }) => readFile(file, "latin1").catch(() => "")));
    return new SocketUsers(tables.map(({ prefix }, index) => ({ table: texts[index] ?? "", prefix })));
  });
  lastRead = nextRead;
  return nextRead;
}

/** Reads the socket tables of Linux, and finds the users of sockets. */
export class SocketUsers {
  /**
   * The users of connections. A key contains the address and port of the user's socket, then the address and port of
   * the peer.
   */
  readonly #connected = new Map<string, number>();
  readonly #listening: { end: string; user: number }[] = [];
  readonly #prefixes: readonly string[];

  constructor(all: readonly { table: string; prefix: string }[]) {
    this.#prefixes = all.map(({ prefix }) => prefix);
    for (const { table } of all) {
      // In a row, the addresses of the socket and of its peer are followed by the state, two queues, a count, the user,
      // another count, and the inode. A socket that no process has open has the inode 0, and its row shows root as the
      // user. This user would be wrong, so such rows are not matched.
      for (const row of table.matchAll(/^ *\d+: (\S+ \S+) (\S+) +(?:\S+ +){3}(\d+) +\d+ +[1-9]/gm)) {
        const [, ends = "", state, user] = row;
        if (state === listeningState) {
          this.#listening.push({ end: ends.split(" ", 1)[0] ?? "", user: Number(user) });
        } else {
          this.#connected.set(ends, Number(user));
        }
      }
    }
  }

  /** Returns the user of the other end of an IPv4 connection; undefined if no process has the other end open. */
  ofPeer({ remoteAddress, remotePort, localAddress, localPort }: SocketEnds): number | undefined {
    const other = end(remoteAddress, remotePort);
    const own = end(localAddress, localPort);
    if (other === undefined || own === undefined) {
      return undefined;
    }
    return this.#prefixes
      .map((prefix) => this.#connected.get(`${prefix}${other} ${prefix}${own}`))
      .find((user) => user !== undefined);
  }

  ofListeners(port: number): number[] {
    const suffix = `:${hex(port, 4)}`;
    return this.#listening.filter((listener) => listener.end.endsWith(suffix)).map(({ user }) => user);
  }
}

const listeningState = "0A";

/**
 * Returns the address and the port of a socket in the format of `/proc/net/tcp`; undefined if the socket is not
 * connected by IPv4.
 */
function end(address = "", port = 0): string | undefined {
  const octets = address.split(".").map(Number);
  return octets.length === 4 ? `${words(octets)}:${hex(port, 4)}` : undefined;
}

/** Returns octets as the kernel prints them: in words of 32 bits, in the byte order of this machine's processor. */
function words(octets: readonly number[]): string {
  return [...new Uint32Array(Uint8Array.from(octets).buffer)].map((word) => hex(word, 8)).join("");
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, "0");
}
