import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { writeNewFile } from "../../../../provider/support/files";
import { temporaryFolder } from "../../../support/temporaryFolder";

it("a new file replaces no file, and goes through no link, of its name", async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  writeFileSync(file, "theirs");
  symlinkSync(file, link);
  for (const name of [file, link]) {
    await expect(writeNewFile(name, Readable.from([Buffer.from("ours")]))).rejects.toMatchObject({ code: "EEXIST" });
  }
  expect(readFileSync(file, "utf8")).toBe("theirs");
});
