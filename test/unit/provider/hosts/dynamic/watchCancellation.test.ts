import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSource } from "../../../../support/fixtures/runSource";

let modules: string;

beforeEach(() => {
  modules = join(mkdtempSync(join(tmpdir(), "sdk-")), "node_modules");
});

afterEach(() => rmSync(join(modules, ".."), { recursive: true, force: true }));

function place(path: string, content: string): string {
  const file = join(modules, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const script = `
  const { watchCancellation } = require("./provider/hosts/dynamic/watchCancellation.ts");
  const { processSession } = require("./provider/pulumiEngine/pulumiSession.ts");
  watchCancellation(processSession);
  watchCancellation(processSession);
  const told = [processSession.signal.aborted];
  for (const caller of process.argv.slice(2)) {
    told.push(require(caller)());
    told.push(processSession.signal.aborted);
  }
  console.log(JSON.stringify(told));
`;

/**
 * Calls `watchCancellation`, and then each of the `callers`, in a new process. Returns the values that the process
 * prints.
 */
async function watch(emptyModuleCode: string, ...callers: string[]): Promise<unknown[]> {
  place("@pulumi/pulumi/index.js", "");
  place("google-protobuf/google/protobuf/empty_pb.js", emptyModuleCode);
  const begin = place("@pulumi/pulumi/cmd/dynamic-provider/index.js", "");
  const { code, output } = await runSource(script, [begin, ...callers]).ended;
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\[.*\]\n$/) });
  return JSON.parse(output);
}

const today = "exports.Empty = { deserializeBinary(bytes) { return [bytes, this === exports.Empty]; } };";
const reader = (name: string) =>
  place(
    `${name}.js`,
    `module.exports = () => require("google-protobuf/google/protobuf/empty_pb.js").Empty.deserializeBinary(7);`,
  );

describe("the engine's cancellation", () => {
  it("is an empty message that the provider service reads; one that another service reads is none", async () => {
    const told = await watch(today, reader("engine_grpc_pb"), reader("provider_grpc_pb"));
    expect(told).toEqual([false, [7, true], false, [7, true], true]);
  });

  it.each([
    ["has no such message", "exports.Other = {};", null],
    ["reads its message in another way", "exports.Empty = {};", null],
    ["cannot be loaded", "throw new Error('another SDK');", "another SDK"],
    ["does not let itself be changed", "exports.Empty = Object.freeze({ deserializeBinary: () => 'own' });", "own"],
  ])("goes unnoticed if the SDK %s: nothing fails, and the SDK works as before", async (_, message, read) => {
    const provider = place(
      "provider_grpc_pb.js",
      `module.exports = () => {
        try {
          return require("google-protobuf/google/protobuf/empty_pb.js").Empty?.deserializeBinary?.(7);
        } catch (error) {
          return error.message;
        }
      };`,
    );
    expect(await watch(message, provider)).toEqual([false, read, false]);
  });
});
