import type { ArchiveFormat } from "../../../provider/mirror/archive/format";
import { packedAs, tarOf } from "../../unit/provider/mirror/archive/archives";
import type { Random } from "../random";
import { zipOf } from "../zipOf";

export interface DrawnArchive {
  packer: string;
  format: ArchiveFormat;
  bytes: Buffer;
}

interface Entry {
  name: string;
  content?: string;
}

export interface Packer {
  name: string;
  formats: readonly [ArchiveFormat, ...ArchiveFormat[]];
  /** When the packer writes the entries of folders: before the files, after all files, or never. */
  folders: "before" | "after" | "none";
  /** True if the paths in its archives begin with the name of the packed folder. */
  isAround?: true;
  begin?: string;
  more?(folder: string, files: readonly string[]): Entry[];
  /** True if its tar begins with a global header, which contains the commit and is not a file. */
  hasGlobalHeader?: true;
}

const tars = ["tar", "tar.gz", "tar.zst"] as const;
const attributes = (name: string): string => name.replace(/([^/]+)$/, "._$1");

const packers: readonly [Packer, ...Packer[]] = [
  { name: "GNU tar of a folder's content", formats: tars, folders: "before", begin: "./" },
  { name: "GNU tar of a folder", formats: tars, folders: "before", isAround: true },
  { name: "git archive", formats: ["tar.gz", "tar"], folders: "before", isAround: true, hasGlobalHeader: true },
  { name: "npm pack", formats: ["tar.gz"], folders: "none", isAround: true },
  {
    name: "bsdtar of macOS",
    formats: tars,
    folders: "before",
    begin: "./",
    more: (_, files) => files.map((name) => ({ name: attributes(name), content: "attributes" })),
  },
  { name: "zip -r", formats: ["zip"], folders: "before" },
  { name: "7-Zip", formats: ["zip"], folders: "after" },
  { name: "Java's jar", formats: ["zip"], folders: "before", more: () => [{ name: "META-INF/" }] },
  {
    name: "Finder of macOS",
    formats: ["zip"],
    folders: "before",
    isAround: true,
    more: (folder, files) => [
      { name: `${folder}.DS_Store`, content: "view" },
      ...files.map((name) => ({ name: `__MACOSX/${attributes(name)}`, content: "attributes" })),
    ],
  },
];

/** `withoutFiles`: the packer adds no files. `around`: it must (true) or must not (false) add an outer folder. */
export interface WantedPacker {
  withoutFiles?: boolean;
  around?: boolean;
}

/** Returns a wanted packer. The next value of `turn` selects the next packer. */
export function packerOf(turn: number, { withoutFiles = false, around }: WantedPacker = {}): Packer {
  const some = packers.filter(
    ({ more, isAround = false }) =>
      (!withoutFiles || (more?.("", []) ?? []).every(isFolder)) && (around === undefined || around === isAround),
  );
  return some[turn % some.length] ?? packers[0];
}

/** @param files the paths of a site with their content. A path that ends with a slash is an empty folder. */
export async function drawArchive(
  random: Random,
  packer: Packer,
  files: Readonly<Record<string, string>>,
): Promise<DrawnArchive> {
  const format = random.pick(packer.formats);
  const folder = packer.isAround ? `${random.pick(["build", "site-7", "dist", "my docs"])}/` : "";
  const begin = (packer.begin ?? "") + folder;
  const whole = Object.keys(files).map((name) => ({ name: begin + name, content: files[name] ?? "" }));
  const [named, empty] = [whole.filter((entry) => !isFolder(entry)), whole.filter(isFolder)];
  const folders = [...new Set(whole.flatMap(({ name }) => foldersOf(name)))].map((name): Entry => ({ name }));
  const entries: Entry[] = [
    ...(packer.more?.(
      folder,
      named.map(({ name }) => name),
    ) ?? []),
    ...(packer.folders === "before" ? folders : []),
    ...named,
    ...(packer.folders === "after" ? folders : []),
    ...(packer.folders === "none" ? empty : []),
  ];
  const begins = packer.hasGlobalHeader ? await globalHeader() : Buffer.alloc(0);
  return { packer: packer.name, format, bytes: await pack(format, entries, begins) };
}

const isFolder = ({ name }: Entry): boolean => name.endsWith("/");

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

async function pack(format: ArchiveFormat, entries: readonly Entry[], begin: Buffer): Promise<Buffer> {
  if (format === "zip") {
    const folderMode = { method: 0, mode: 0o040755 };
    return zipOf(entries.map((entry) => (isFolder(entry) ? { ...entry, ...folderMode } : entry)));
  }
  const tar = await tarOf(entries.map((entry) => ({ ...entry, type: isFolder(entry) ? "directory" : "file" })));
  return packedAs(format, Buffer.concat([begin, tar]));
}

/** Makes the global header of a tar: writes it as a file's header, changes the type, and corrects the checksum. */
async function globalHeader(): Promise<Buffer> {
  const blocks = (await tarOf([{ name: "pax_global_header", content: "20 comment=01234567\n" }])).subarray(0, 1_024);
  const [typeAt, sumAt] = [156, 148];
  blocks.write("g", typeAt, "latin1");
  blocks.fill(" ", sumAt, sumAt + 8);
  const sum = blocks.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  blocks.write(`${sum.toString(8).padStart(6, "0")}\0 `, sumAt, "latin1");
  return blocks;
}
