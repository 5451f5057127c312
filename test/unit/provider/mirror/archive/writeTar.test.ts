import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { writeTar } from "../../../../../provider/mirror/archive/writeTar";

it("a tar has the same bytes at every time and for every user", async () => {
  const entries = ["a/", "a/b"].map((path) => ({ path, sizeBytes: 0, content: () => (async function* () {})() }));
  const tar = await buffer(writeTar(entries));
  for (const [start, mode] of [
    [0, "000755"],
    [512, "000644"],
  ] as const) {
    const field = (from: number, length: number) =>
      tar.toString("latin1", start + from, start + from + length).replace(/[\0 ].*/s, "");
    const [uid, gid, mtime, uname, gname] = [
      field(108, 8),
      field(116, 8),
      field(136, 12),
      field(265, 32),
      field(297, 32),
    ];
    expect({ mode: field(100, 8), owner: [uid, gid, uname, gname], mtime: Number(mtime) }).toEqual({
      mode,
      owner: ["000000", "000000", "", ""],
      mtime: 0,
    });
  }
});
