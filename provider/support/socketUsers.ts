import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

interface SocketEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
  localPort?: number | undefined;
}

/** In each table, an IPv4 address begins with `prefix`. */
const tables = [
  { file: "/proc/net/tcp", prefix: "" },
  { file: "/proc/net/tcp6", prefix: words([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) },
] as const;

let lastRead: Promise<unknown> = Promise.resolve();
let nextRead: Promise<SocketUsers> | undefined;

/** Resolves with true if this user owns the other end of a loopback connection, or if this system is not Linux. */
export async function isPeerOfThisUser({ remoteAddress, remotePort, localAddress, localPort }: SocketEnds) {
  // Copied before the wait, because a socket that is closed during the wait loses its addresses.
  const ends = { remoteAddress, remotePort, localAddress, localPort };
  return process.platform !== "linux" || (await socketUsers()).ofPeer(ends) === process.geteuid?.();
}

/** True only if the system shows that another user listens on this port. */
export async function isUsedByAnotherUser(port: number): Promise<boolean> {
  return (
    process.platform === "linux" &&
    (await socketUsers()).ofListeners(port).some((listener) => listener !== process.geteuid?.())
  );
}

/** @throws Error if Linux does not show the users of connections, so that no client could be accepted. */
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
 * The read begins after this call, so the result is up to date. All calls during one read share the next read, so no
 * call takes longer than two reads.
 */
function socketUsers(): Promise<SocketUsers> {
  nextRead ??= lastRead.then(async () => {
    nextRead = undefined;
    // A system without IPv6 lacks one of these files.
    const texts = await Promise.all(tables.map(({ file }) => readFile(file, "latin1").catch(() => "")));
    return new SocketUsers(tables.map(({ prefix }, index) => ({ table: texts[index] ?? "", prefix })));
  });
  lastRead = nextRead;
  return nextRead;
}

export class SocketUsers {
  /** A key contains the address and port of the user's socket, then those of the peer. */
  readonly #connected = new Map<string, number>();
  readonly #listening: { end: string; user: number }[] = [];
  readonly #prefixes: readonly string[];

  constructor(all: readonly { table: string; prefix: string }[]) {
    this.#prefixes = all.map(({ prefix }) => prefix);
    for (const { table } of all) {
      // A row has the two addresses, the state, two queues, a count, the user, another count, and the inode. A socket
      // that no process has open has the inode 0 and the wrong user root. Such a row is not matched.
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

  /** Returns undefined if no process has the other end open. */
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

/** Returns an address and a port in the format of `/proc/net/tcp`; undefined if the socket is not connected by IPv4. */
function end(address = "", port = 0): string | undefined {
  const octets = address.split(".").map(Number);
  return octets.length === 4 ? `${words(octets)}:${hex(port, 4)}` : undefined;
}

/** The kernel prints words of 32 bits, in the byte order of the processor. */
function words(octets: readonly number[]): string {
  return [...new Uint32Array(Uint8Array.from(octets).buffer)].map((word) => hex(word, 8)).join("");
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, "0");
}
