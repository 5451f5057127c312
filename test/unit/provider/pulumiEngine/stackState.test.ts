import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { StackStateReader, stackNameIn } from "../../../../provider/pulumiEngine/stackState";
import { temporaryFolder } from "../../../support/temporaryFolder";

const urns = Array.from({ length: 40 }, (_, n) => `urn:pulumi:dev::p::docs-platform:index:StaticExport::site${n}`);

/** The folder of a fake `pulumi` command, which prints the pending creates that a test sets, and counts its runs. */
let folder: string;
let state: StackStateReader;

beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(
    join(folder, "pulumi"),
    `#!/bin/sh\nsleep 0.1\necho run >> ${folder}/runs\nexec cat ${folder}/state.json\n`,
    { mode: 0o700 },
  );
  appendFileSync(join(folder, "runs"), "");
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  state = new StackStateReader();
  return () => vi.unstubAllEnvs();
});

it("a new run of many resources asks the engine for its state twice, and not once for each", async () => {
  // The engine records a pending create before it calls the provider. Here it has recorded sixteen.
  note(urns.slice(0, 16));
  expect(await Promise.all(urns.map((urn) => state.createWasCutOff(urn)))).toEqual(urns.map(() => false));
  expect(runs()).toBe(2);
});

it("a create that an earlier run was cut off in is found, also one that begins later", async () => {
  note([urns[0], urns[0], urns[1]] as string[]);
  expect(await state.createWasCutOff(urns[0] as string)).toBe(true);
  note([urns[1], urns[1]] as string[]);
  expect(await state.createWasCutOff(urns[1] as string)).toBe(true);
});

it.each([
  ["up --stack acme/dev --yes", "acme/dev"],
  ["up --stack=acme/p/dev", "acme/p/dev"],
  ["up -s dev", "dev"],
  ["up -sdev", "dev"],
  ["up -s=dev", "dev"],
  ["up -ys dev --stacks x", "dev"],
  ["--stack first up --stack last", "last"],
  ["up --yes --skip-preview --show-secrets -y", undefined],
])("%s names the stack %s", (line, stack) => {
  expect(stackNameIn(["pulumi", ...line.split(" ")])).toBe(stack);
});

function note(creating: readonly string[]): void {
  const pending = creating.map((urn) => ({
    type: "creating",
    resource: { urn, type: "docs-platform:index:StaticExport" },
  }));
  writeFileSync(join(folder, "state.json"), JSON.stringify({ deployment: { pending_operations: pending } }));
}

function runs(): number {
  return readFileSync(join(folder, "runs"), "utf8").split("\n").length - 1;
}
