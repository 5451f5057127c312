import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { filesIn } from "../../../tools/filesIn";
import { executablesOnPath } from "../../../tools/processes/executables";
import { hasTool } from "../../support/requireTool";
import { manifests, only } from "./helm";

/** The tools that can run the script of the init container: the usual tools, and BusyBox. */
export const toolsets = [
  { name: "sh, curl, tar and unzip", there: ["sh", "curl", "tar", "unzip"].every(hasTool), busybox: false },
  { name: "busybox and curl", there: ["busybox", "curl"].every(hasTool), busybox: true },
];

/** The files of a pod without an unpacked site. */
export const nothing = { site: [], root: ["config", "dev", "link", "site", "tmp", "tools"] };

export interface PodStart {
  code: number | null;
  log: string;
  /** The termination message, which `kubectl describe pod` shows. */
  message: string;
}

export type ChartValues = [staticExport: { version?: string; sha256?: string; image?: string }, others?: object];

interface Container {
  command: [string, ...string[]];
  env: { name: string; value: string }[];
}

/**
 * A simulated pod. Its volumes are folders. Its init container is a process with the rendered command and environment.
 * One folder replaces the root of the pod.
 */
export class Pod {
  static readonly #made: Pod[] = [];

  readonly #root = mkdtempSync(join(tmpdir(), "pod-"));
  readonly #tools: string;
  #fetch: Container = { command: [""], env: [] };
  #serverCommand: string[] = [];

  private constructor(busybox: boolean) {
    this.#tools = join(this.#root, "tools");
    for (const folder of ["config", "link", "site", "dev", "tmp", "tools"]) {
      mkdirSync(join(this.#root, folder));
    }
    if (busybox) {
      const [file = ""] = executablesOnPath("busybox");
      for (const applet of spawnSync(file, ["--list"], { encoding: "utf8" }).stdout.trim().split("\n")) {
        symlinkSync(file, join(this.#tools, applet));
      }
    }
    this.#spyOnCurl();
    Pod.#made.push(this);
  }

  static async create({ busybox }: { busybox: boolean }, link: string, ...values: ChartValues): Promise<Pod> {
    const pod = new Pod(busybox);
    pod.link = link;
    await pod.configure(...values);
    return pod;
  }

  static removeAll(): void {
    for (const pod of Pod.#made.splice(0)) {
      rmSync(pod.#root, { recursive: true, force: true });
    }
  }

  /** Renders the chart with other values, as an upgrade of the release does. */
  async configure(...[staticExport, others]: ChartValues): Promise<void> {
    const link = staticExport.image === undefined ? { bundleUrl: "https://storage.example.com/bundle" } : {};
    const objects = await manifests({ staticExport: { enabled: true, ...link, ...staticExport }, ...others });
    for (const [name, content] of Object.entries<string>(only(objects, "ConfigMap").data)) {
      writeFileSync(join(this.#root, "config", name), content);
    }
    const { initContainers = [], containers } = only(objects, "Deployment").spec.template.spec;
    [this.#fetch = this.#fetch] = initContainers;
    this.#serverCommand = containers[0].command;
  }

  set link(link: string) {
    writeFileSync(join(this.#root, "link", "bundleUrl"), link);
  }

  async start(): Promise<PodStart> {
    const [shell, ...args] = this.#fetch.command;
    const child = spawn(join(this.#busyboxShell ?? "", shell), args.map(this.#inRoot), {
      cwd: this.#root,
      env: {
        PATH: this.#busyboxShell ?? `${this.#tools}:${process.env.PATH}`,
        ...Object.fromEntries(this.#fetch.env.map(({ name, value }) => [name, this.#inRoot(value)])),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    return { code, log: stdout + stderr, message: this.#read("dev/termination-log") ?? "" };
  }

  get serverCommand(): string[] {
    return this.#serverCommand.map(this.#inRoot);
  }

  /** Undefined if no site was unpacked. */
  get pages(): Map<string, string> | undefined {
    const folder = this.path("site/bundle/pages");
    try {
      return new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
    } catch {
      return undefined;
    }
  }

  get left(): { site: string[]; root: string[] } {
    return { site: readdirSync(join(this.#root, "site")), root: readdirSync(this.#root).sort() };
  }

  /** The command lines and environments of all runs of curl. */
  get seen(): string {
    return this.#read("tools/seen") ?? "";
  }

  path(below: string): string {
    return join(this.#root, below);
  }

  /** Writes a file, as an interrupted run might have done. */
  leave(below: string, content = ""): void {
    mkdirSync(dirname(this.path(below)), { recursive: true });
    writeFileSync(this.path(below), content);
  }

  /** Replaces the site by these files, as the mount of an image does. */
  mount(files: Iterable<readonly [path: string, content: string]>): void {
    rmSync(this.path("site/bundle"), { recursive: true, force: true });
    for (const [path, content] of files) {
      this.leave(`site/bundle/pages/${path}`, content);
    }
  }

  get #busyboxShell(): string | undefined {
    return readdirSync(this.#tools).includes("sh") ? this.#tools : undefined;
  }

  readonly #inRoot = (word: string) => (word.startsWith("/") ? join(this.#root, word) : word);

  #read(below: string): string | undefined {
    try {
      return readFileSync(join(this.#root, below), "utf8");
    } catch {
      return undefined;
    }
  }

  #spyOnCurl(): void {
    const file = join(this.#tools, "curl");
    const note = `{ printf '%s\\n' "$@"; env; } >> '${join(this.#tools, "seen")}'`;
    rmSync(file, { force: true });
    writeFileSync(file, `#!/bin/sh\n${note}\nexec ${executablesOnPath("curl")[0]} "$@"\n`);
    chmodSync(file, 0o755);
  }
}
