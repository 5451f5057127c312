import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Started, startProcess } from "../../../tools/processes/startProcess";

/** Runs in the same process, because the command of tsx starts another one at three times the CPU. */
const tsx = createRequire(__filename).resolve("tsx/cjs");
const installer = join(__dirname, "../../../tools/toolchain/getTool.ts");
/** The program that runs in a process of its own. */
const printPython = `require(${JSON.stringify(installer)}).getTool("schemathesis").then(console.log, (error) => {
  console.error(String(error));
  process.exitCode = 1;
});`;

/** A machine with an empty cache and a `python3` that notes its calls; its pip runs the given script. */
class Machine {
  readonly root = mkdtempSync(join(tmpdir(), "install-schemathesis-"));
  readonly cache = join(this.root, "cache", "pulumi-docs-platform");
  readonly #log = join(this.root, "calls.log");

  constructor() {
    mkdirSync(join(this.root, "bin"));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  }

  /**
   * It is called as `python3 -I -m venv <folder>`, and the new Python as `python -I -m pip …` or `… schemathesis.cli
   * …`.
   */
  python(pip: string): void {
    const made = `case "$3" in pip) echo pip >> ${this.#log}; ${pip};; *) echo proof >> ${this.#log};; esac`;
    writeFileSync(join(this.root, "made"), `#!/bin/sh\n${made}\n`);
    const venv = `echo venv >> ${this.#log}\nmkdir -p "$4/bin"\ncp ${this.root}/made "$4/bin/python"\nchmod +x "$4/bin/python"`;
    const file = join(this.root, "bin", "python3");
    writeFileSync(file, `#!/bin/sh\n${venv}\n`);
    chmodSync(file, 0o755);
  }

  calls(name: string): number {
    const lines = existsSync(this.#log) ? readFileSync(this.#log, "utf8").split("\n") : [];
    return lines.filter((line) => line === name).length;
  }

  kept(): string[] {
    return existsSync(this.cache) ? readdirSync(this.cache).filter((name) => name.startsWith("schemathesis-")) : [];
  }

  start(): Started {
    return startProcess(process.execPath, ["--require", tsx, "--eval", printPython], {
      cwd: this.root,
      env: {
        ...process.env,
        PATH: [join(this.root, "bin"), process.env.PATH].join(delimiter),
        XDG_CACHE_HOME: dirname(this.cache),
      },
    });
  }
}

describe("the installation of Schemathesis", () => {
  it("is made once, and found by the next process without pip", async () => {
    const machine = new Machine();
    machine.python("exit 0");
    const run = await machine.start().ended;
    const [name = "none"] = machine.kept();
    expect(name).toMatch(/^schemathesis-4\.\d+\.\d+-[0-9a-f]{8}$/);
    const found = `${join(machine.cache, name, "bin", "python")}\n`;
    expect(run, run.stderr).toMatchObject({ code: 0, stdout: found });
    expect(await machine.start().ended).toMatchObject({ code: 0, stdout: found, stderr: "" });
    expect([machine.calls("venv"), machine.calls("pip"), machine.kept()]).toEqual([1, 1, [name]]);
  });

  it("is not there when pip fails: the error tells why, and the next try begins anew", async () => {
    const machine = new Machine();
    machine.python("echo 'ERROR: no matching distribution'; exit 1");
    const failed = await machine.start().ended;
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("failed: pip install: exit code 1: ERROR: no matching distribution");
    expect(readdirSync(machine.cache)).toEqual([]);
    machine.python("exit 0");
    expect(await machine.start().ended).toMatchObject({ code: 0 });
    expect(machine.kept()).toHaveLength(1);
  });
});
