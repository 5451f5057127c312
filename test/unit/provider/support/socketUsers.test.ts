import { describe, expect, it } from "vitest";
import {
  isPeerOfThisUser,
  isPortOfAnotherUser,
  parseSocketTable,
  userOfPeer,
} from "../../../../provider/support/socketUsers";
import { replaceInBuiltin } from "../../../support/replaceInBuiltin";

/** The table of a little-endian Linux. It shows the user id 0 for root, and for a socket that no process has open. */
const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const row = (ends: string, state: string, user: string, inode: string) =>
  `   7: ${ends} ${state} 00000000:00000000 02:000AFC7F 00000000 ${user}        0 ${inode} 2 00000000f394a86f 20 4 30 10 -1\n`;
const peer = "0100007F:9C40 0100007F:1F90";
const ends = { remoteAddress: "127.0.0.1", remotePort: 40_000, localAddress: "127.0.0.1", localPort: 8_080 };

describe("the user of the other end of a connection", () => {
  it.each([
    ["is that of its row", row(peer, "01", " 1000", "112660"), 1000],
    ["may be root", row(peer, "01", "    0", "112660"), 0],
    ["is not known where nobody has the socket open", row(peer, "05", "    0", "0"), undefined],
    ["is not known in TIME_WAIT", row(peer, "06", "    0", "0"), undefined],
    ["is not known without a row", "", undefined],
    ["is not that of our own end", row("0100007F:1F90 0100007F:9C40", "01", "    0", "112660"), undefined],
    ["is not that of the listener", row("0100007F:1F90 00000000:0000", "0A", "    0", "112660"), undefined],
    ["is not that of another address", row("0200007F:9C40 0100007F:1F90", "01", "    0", "112660"), undefined],
    ["is not that of a longer port", row("0100007F:9C40 0100007F:1F901", "01", "    0", "112660"), undefined],
  ])("%s", (_, rows, user) => {
    const table = header + row("0100007F:1F90 00000000:0000", "0A", "   99", "1") + rows;
    expect(userOfPeer(parseSocketTable(table), ends)).toBe(user);
  });
});

describe.runIf(process.platform === "linux")("the tables of sockets", () => {
  it("are read at most twice for all who ask while one read continues", async () => {
    let reads = 0;
    replaceInBuiltin("node:fs/promises", ({ readFile }) => ({
      readFile: (file: string, ...more: unknown[]) => {
        reads += file === "/proc/net/tcp" ? 1 : 0;
        return (readFile as (...all: unknown[]) => unknown)(file, ...more);
      },
    }));
    const first = isPortOfAnotherUser(1);
    // This lets the first read continue.
    await Promise.resolve();
    const more = Array.from({ length: 300 }, () => isPeerOfThisUser(ends));
    expect(await Promise.all([first, ...more])).toEqual(Array(301).fill(false));
    expect(reads).toBe(2);
  });
});
