import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";

/** Unpacks an archive of Terraform's provider. All files become executable. */
export function unzipInto(folder: string, archive: string): void {
  for (const [name, content] of Object.entries(unzipSync(readFileSync(archive)))) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }
}
