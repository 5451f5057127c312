import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startCraneRegistry } from "../../../tools/servers/startCraneRegistry";
import { getTool } from "../../../tools/toolchain/getTool";

const limit = 64 * 1024 ** 2;

/** Runs `crane`, a common registry client that is independent of this project. Returns the printed bytes. */
export async function crane(...args: string[]): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(await getTool("crane"), args, { encoding: "buffer", maxBuffer: limit });
  return stdout;
}

/** Returns the text that `crane` prints, without its last line break. */
export async function craneText(...args: string[]): Promise<string> {
  return (await crane(...args)).toString("utf8").trim();
}

/** A real registry for the tests of one file. Each test uses its own repository name. */
export interface TestRegistry {
  host: string;
  repository: string;
  /** A mirror's destination in the current test's repository. */
  destination: string;
  /** The name by which `crane` finds the repository. */
  name: string;
  folder: string;
  /** The requests in order, each in the form `METHOD path`. */
  requests(): string[];
}

export function testRegistry(): TestRegistry {
  const registry = {} as TestRegistry;
  let close = async () => {};
  let count = 0;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "registry-test-"));
    const { host, server, close: end } = await startCraneRegistry(folder);
    Object.assign(registry, {
      host,
      folder,
      requests: () =>
        [...server.output.matchAll(/ (GET|HEAD|POST|PUT|PATCH|DELETE) (\S+)/g)].map(([, ...words]) => words.join(" ")),
    });
    close = async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    };
  });
  afterAll(() => close());
  beforeEach(() => {
    registry.repository = `team/docs-${count++}`;
    registry.name = `${registry.host}/${registry.repository}`;
    registry.destination = `oci://${registry.name}?plainHttp=true`;
  });
  return registry;
}
