import { gzipSync } from "node:zlib";
import type { ArchiveFormat } from "../../provider/mirror/archive/format";
import { archiveWith, type Files } from "../unit/provider/mirror/archive/archives";

/** The site of a strange platform. */
const files: Files = [
  ["index.html", "<h1>Docs</h1>"],
  ["guide/index.html", "<h1>Guide</h1>"],
];

/** Packs that site into an archive of the strange platform's form. */
export async function strangeBundleOf(form = "tar.gz"): Promise<Buffer> {
  switch (form) {
    case "folder":
      return gzipSync(
        await archiveWith(
          "tar",
          files.map(([name, content]) => [`site-7/${name}`, content]),
        ),
      );
    case "dotted":
      return gzipSync(
        await archiveWith(
          "tar",
          files.map(([name, content]) => [`./${name}`, content]),
        ),
      );
    default:
      return archiveWith(form as ArchiveFormat, files);
  }
}
