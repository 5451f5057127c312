import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export interface ContentFile {
  readonly path: string;
  readonly bytes: Buffer;
}

const packageName = "pulumi-docs-platform";
const wanted = /\.(md|png|jpe?g|gif|svg|webp)$/i;

/** Returns Markdown files and images. Default: the README.md and docs/ of this package. */
export function readContentFiles(folder?: string): ContentFile[] {
  const files = folder === undefined ? packageContent(packageRoot()) : readFolder(folder, "");
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function packageContent(root: string): ContentFile[] {
  const docs = existsSync(join(root, "docs")) ? readFolder(root, "docs") : [];
  return existsSync(join(root, "README.md")) ? [readFile(root, "README.md"), ...docs] : docs;
}

function readFolder(root: string, folder: string): ContentFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") {
      return [];
    }
    if (entry.isDirectory()) {
      return readFolder(root, path);
    }
    return entry.isFile() && wanted.test(entry.name) ? [readFile(root, path)] : [];
  });
}

function readFile(root: string, path: string): ContentFile {
  return { path, bytes: readFileSync(join(root, path)) };
}

/** This file may run from its source or from dist/. */
function packageRoot(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).name === packageName) {
      return folder;
    }
  }
  throw new Error(`The folder of the package ${packageName} is not above ${__dirname}`);
}
