import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

interface SocketEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
  localPort?: number | undefined;
}

/** Each end is an address and a port. */
interface SocketRow {
  own: string;
  peer: string;
  state: string;
  user: number;
}

const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
/** In each table, an IPv4 address begins with one of these prefixes. */
const prefixes = ["", words([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])];

let lastRead: Promise<unknown> = Promise.resolve();
let nextRead: Promise<SocketRow[]> | undefined;

/** Resolves with true if this user owns the other end of a loopback connection, or if this system is not Linux. */
export async function isPeerOfThisUser({ remoteAddress, remotePort, localAddress, localPort }: SocketEnds) {
  // Copied before the wait, because a socket that is closed during the wait loses its addresses.
  const ends = { remoteAddress, remotePort, localAddress, localPort };
  return process.platform !== "linux" || userOfPeer(await readSockets(), ends) === process.geteuid?.();
}

/** True only if the system shows that another user listens on this port. */
export async function isPortOfAnotherUser(port: number): Promise<boolean> {
  const end = `:${hex(port, 4)}`;
  return (
    process.platform === "linux" &&
    (await readSockets()).some(
      ({ own, state, user }) => state === listeningState && own.endsWith(end) && user !== process.geteuid?.(),
    )
  );
}

/** @throws Error if Linux does not show the users of connections, so that no client could be accepted. */
export function requireSocketTables(): void {
  if (process.platform !== "linux") {
    return;
  }
  try {
    readFileSync(tables[0] ?? "");
  } catch {
    throw new Error(
      `The plugin serves only its own user, and this system does not show which user has a connection: ${tables[0]} cannot be read. Nothing was sent. Mount /proc, then run the command again.`,
    );
  }
}

/**
 * The read begins after this call, so the result is up to date. All calls during one read share the next read, so no
 * call takes longer than two reads.
 */
function readSockets(): Promise<SocketRow[]> {
  nextRead ??= lastRead.then(async () => {
    nextRead = undefined;
    // A system without IPv6 lacks one of these files.
    const texts = await Promise.all(tables.map((file) => readFile(file, "latin1").catch(() => "")));
    return texts.flatMap(parseSocketTable);
  });
  lastRead = nextRead;
  return nextRead;
}

export function parseSocketTable(table: string): SocketRow[] {
  // A row has the two addresses, the state, two queues, a count, the user, another count, and the inode. A row with
  // the inode 0 is not matched: no process has this socket open, and the user in the row is wrong.
  const rows = table.matchAll(/^ *\d+: (\S+) (\S+) (\S+) +(?:\S+ +){3}(\d+) +\d+ +[1-9]/gm);
  return Array.from(rows, ([, own = "", peer = "", state = "", user]) => ({ own, peer, state, user: Number(user) }));
}

/** Returns undefined if no process has the other end open. */
export function userOfPeer(
  rows: readonly SocketRow[],
  { remoteAddress, remotePort, localAddress, localPort }: SocketEnds,
): number | undefined {
  const other = endOf(remoteAddress, remotePort);
  const own = endOf(localAddress, localPort);
  const wanted = prefixes.map((prefix) => ({ own: prefix + other, peer: prefix + own }));
  return rows.find((row) => wanted.some((ends) => ends.own === row.own && ends.peer === row.peer))?.user;
}

const listeningState = "0A";

/** Returns an address and a port in the format of `/proc/net/tcp`; "none" if the socket is not connected by IPv4. */
function endOf(address = "", port = 0): string {
  const octets = address.split(".").map(Number);
  return octets.length === 4 ? `${words(octets)}:${hex(port, 4)}` : "none";
}

/** The kernel prints words of 32 bits, in the byte order of the processor. */
function words(octets: readonly number[]): string {
  return [...new Uint32Array(Uint8Array.from(octets).buffer)].map((word) => hex(word, 8)).join("");
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, "0");
}
