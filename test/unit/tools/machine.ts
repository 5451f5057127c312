import * as fs from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { executablesOnPath } from "../../../tools/processes/executables";
import { type EndedProcess, startProcess } from "../../../tools/processes/startProcess";
import { officialRelease, ownBuild, pulumiVersion } from "../../../tools/toolchain/pulumiRecipes";

/** The script's process loads `tsx` itself. The command `tsx` would need another process and much more time. */
const tsx = createRequire(__filename).resolve("tsx/cjs");
const printPath = resolve(__dirname, "../../../tools/tool.ts");

/** A simulated machine with only the programs that a test installs. PATH, HOME and the cache are temporary folders. */
export class BareMachine {
  readonly root = fs.mkdtempSync(join(tmpdir(), "find-pulumi-"));
  readonly bin = join(this.root, "bin");
  readonly log = join(this.root, "calls.log");
  readonly cache = join(this.root, "cache", "pulumi-docs-platform");
  readonly version = pulumiVersion();
  readonly fetched = join(this.cache, officialRelease().keptName);
  readonly built = join(this.cache, ownBuild().keptName);

  /** @param onTestFinished the function of the test's context. The global function cannot find the calling test. */
  constructor(onTestFinished: (cleanUp: () => void) => void) {
    for (const folder of [this.bin, join(this.root, "home")]) {
      fs.mkdirSync(folder);
    }
    // The fake programs are shell scripts. PATH contains only the programs that they need.
    for (const name of ["node", "sleep", "chmod", "mkdir"]) {
      fs.symlinkSync(name === "node" ? process.execPath : (executablesOnPath(name)[0] ?? ""), join(this.bin, name));
    }
    onTestFinished(() => fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  }

  put(folder: string, name: string, script: string): void {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  install(folder: string, version = "v3.200.0"): void {
    this.put(folder, "pulumi", `echo ${version}`);
    this.put(folder, "pulumi-language-nodejs", "exit 0");
    this.put(folder, "pulumi-resource-pulumi-nodejs", "exit 0");
  }

  /** Puts a fake `npx` on PATH. The fake records its call and runs the script. The default script fails. */
  npx(script = 'echo "pulumi: fetch failed" >&2; exit 1'): void {
    this.put(this.bin, "npx", `echo npx "$@" >> ${this.log}\n${script}`);
  }

  /** Installs a fake `go`, which records each build, writes the requested file, and then waits. */
  go(seconds = 0): void {
    const build = [
      `echo go "$@" >> ${this.log}`,
      `while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done`,
      `printf '#!/bin/sh\\necho v${this.version}\\n' > "$out"; chmod +x "$out"`,
      `sleep ${seconds}`,
      `echo built >> ${this.log}`,
    ];
    const module = join(this.root, "module");
    this.put(join(module, "python", "cmd"), "pulumi-language-python-exec", "exit 0");
    const answers = [`[ "$1" = env ] && { echo go1.99.0; exit 0; }`, `[ "$1" = list ] && { echo ${module}; exit 0; }`];
    this.put(this.bin, "go", [...answers, ...build].join("\n"));
  }

  calls(): string[] {
    return fs.existsSync(this.log) ? fs.readFileSync(this.log, "utf8").trim().split("\n") : [];
  }

  kept(): string[] {
    return fs.existsSync(this.cache) ? fs.readdirSync(this.cache).sort() : [];
  }

  run(extraPath: readonly string[] = []): Promise<EndedProcess> {
    return startProcess(process.execPath, ["--require", tsx, printPath, "pulumi", "--folder"], {
      cwd: this.root,
      env: {
        PATH: [...extraPath, this.bin].join(delimiter),
        HOME: join(this.root, "home"),
        XDG_CACHE_HOME: dirname(this.cache),
        TMPDIR: tmpdir(),
      },
    }).ended;
  }
}
