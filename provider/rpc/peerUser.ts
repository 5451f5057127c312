import { readFileSync } from "node:fs";

export interface SocketEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
  localPort?: number | undefined;
}

/** The tables of sockets of this network namespace, each with what stands before an address of IPv4 in it. */
const tables = [
  { file: "/proc/net/tcp", prefix: "" },
  { file: "/proc/net/tcp6", prefix: words([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) },
] as const;

/** True if the other end of a loopback connection runs as this user. Only Linux shows users: elsewhere it is always true. */
export function isOfThisUser(connection: SocketEnds): boolean {
  return (
    process.platform !== "linux" ||
    tables.some(({ file, prefix }) => userIn(readTable(file), connection, prefix) === process.geteuid?.())
  );
}

/** @throws Error if this system does not show whose connections they are, so that nobody could be served. */
export function requireSocketTables(): void {
  if (process.platform === "linux" && readTable(tables[0].file) === "") {
    throw new Error(
      `The plugin serves only its own user, and this system does not show whose connections they are: ${tables[0].file} cannot be read. Nothing was sent. Mount /proc, then run the command again.`,
    );
  }
}

/**
 * Returns the user of the other end of a connection.
 * @param table a table of sockets, in the form of Linux.
 * @returns undefined if the table has no such socket, or if no process has it open any more: it then shows root as its user.
 */
export function userIn(table: string, ends: SocketEnds, prefix = ""): number | undefined {
  const other = end(prefix, ends.remoteAddress, ends.remotePort);
  const own = end(prefix, ends.localAddress, ends.localPort);
  // After the addresses come the state, two queues, a count, the user, another count, and the inode, which is 0 if no process has
  // the socket open.
  const [, user] = new RegExp(` ${other} ${own} (?:\\S+ +){4}(\\d+) +\\d+ +[1-9]`).exec(table) ?? [];
  return user === undefined ? undefined : Number(user);
}

function readTable(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // A system without IPv6 lacks one of them.
    return "";
  }
}

function end(prefix: string, address = "", port = 0): string {
  return `${prefix}${words(address.split(".").map(Number))}:${hex(port, 4)}`;
}

/** Returns octets as the kernel prints them: in words of 32 bits, each as this machine's processor reads it. */
function words(octets: readonly number[]): string {
  return [...new Uint32Array(Uint8Array.from(octets).buffer)].map((word) => hex(word, 8)).join("");
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, "0");
}
