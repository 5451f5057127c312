import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../../processes/runTool";
import type { ReleaseFile } from "./releaseArchives";
import type { Target } from "./target";

/** For each processor: its name in the paths of Debian's libraries, and the file name of its program loader. */
const processors: Record<string, { triple: string; loader: string }> = {
  amd64: { triple: "x86_64-linux-gnu", loader: "ld-linux-x86-64.so.2" },
  arm64: { triple: "aarch64-linux-gnu", loader: "ld-linux-aarch64.so.1" },
};

/** The system libraries that Node.js needs, by the package that contains them. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  libc6: ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"],
  "libstdc++6": ["libstdc++.so.6"],
  "libgcc-s1": ["libgcc_s.so.1"],
  libatomic1: ["libatomic.so.1"],
};

const buildLimit = 5 * 60_000;

/** The files with which an executable for Linux runs on a system without the right C library. */
export interface LinuxRuntime {
  /** The program that starts `lib/program` with the libraries in the folder `lib`. */
  readonly launcher: Buffer;
  readonly libraries: readonly ReleaseFile[];
  /** The licences, with the names and versions of the source packages. */
  readonly licences: readonly string[];
}

/** This machine must have Debian or Ubuntu, and Go. An error names the packages to install. */
export async function linuxRuntime({ arch }: Target, folder: string, signal: AbortSignal): Promise<LinuxRuntime> {
  const { triple, loader } = processors[arch] as (typeof processors)[string];
  const isOwn = existsSync(`/lib/${triple}/${loader}`);
  const place = isOwn ? `/lib/${triple}` : `/usr/${triple}/lib`;
  const packageOf = (name: string) => (isOwn ? name : `${name}-${arch}-cross`);
  const files: ReleaseFile[] = [];
  const licences = new Set<string>();
  for (const [name, members] of Object.entries(libraries)) {
    for (const member of name === "libc6" ? [loader, ...members] : members) {
      const file = join(place, member);
      if (!existsSync(file)) {
        const wanted = Object.keys(libraries).map(packageOf).join(" ");
        throw new Error(`there is no ${file}: the archive for Linux on ${arch} needs the packages ${wanted}`);
      }
      files.push({ name: `lib/${member}`, content: await readFile(file), isExecutable: member === loader });
    }
    licences.add(await licenceOf(packageOf(name), folder));
  }
  const launcher = join(folder, "launcher");
  const flags = ["-trimpath", "-ldflags", `-s -w -buildid= -X main.loader=${loader}`];
  const environment = { CGO_ENABLED: "0", GOOS: "linux", GOARCH: arch };
  await succeed("go", ["build", ...flags, "-o", launcher, join(__dirname, "launcher.go")], folder, environment, signal);
  const goRoot = (await succeed("go", ["env", "GOROOT"], folder)).trim();
  licences.add(`Go\n\n${readFileSync(join(goRoot, "LICENSE"), "utf8")}`);
  return { launcher: await readFile(launcher), libraries: files, licences: [...licences] };
}

/** Returns the licence of a library's package. All packages of one source package get the same text. */
async function licenceOf(name: string, folder: string): Promise<string> {
  const format = `--showformat=\${source:Package} \${source:Version}`;
  const source = await succeed("dpkg-query", ["--show", format, name], folder);
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  const text = readFileSync(join("/usr/share/doc", name, "copyright"), "utf8");
  return `Libraries in the folder lib, as ${system} builds them from its source package ${source.trim()}\n\n${text}`;
}

async function succeed(command: string, args: readonly string[], cwd: string, env = {}, signal?: AbortSignal) {
  const { ok, problem, stdout } = await runTool(command, args, {
    cwd,
    env,
    timeLimit: buildLimit,
    ...(signal && { signal }),
  });
  if (!ok) {
    throw new Error(`${command} ${args[0]}: ${problem}`);
  }
  return stdout;
}
