import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { temporaryFolder } from "../support/temporaryFolder";

const digest = `sha256:${"0".repeat(64)}`;

/** The fake `cosign` accepts no signature. */
function verify(...args: string[]) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "cosign"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const verifier = join(projectRoot, "examples", "signedImages", "containerd", "verifySigned");
  const env = { PATH: `${folder}:${process.env.PATH}`, SIGNED_PREFIX: "registry.example.com/team/docs" };
  const { status, stdout } = spawnSync(verifier, args, { env, encoding: "utf8" });
  return { status, stdout };
}

it.each([
  ...["registry.example.com/team/docs:v1", "registry.example.com/team/docs", "registry.example.com/team/docs/site:v1"],
  ...[
    "registry.example.com:443/team/docs:v1",
    "REGISTRY.example.com/team/docs:v1",
    "Registry.Example.com:443/team/docs",
  ],
])("an image of the repository needs a signature, by whatever name of its registry: %s", (name) => {
  expect(verify("-name", name, "-digest", digest)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("is not signed"),
  });
});

it.each([
  [[]],
  [["-name"]],
  [["-name", "registry.example.com/x"]],
  [["-digest", digest]],
  [["-name", "", "-digest", digest]],
])("what is not understood is refused: %j", (args) => {
  expect(verify(...args).status).toBe(1);
});

it.each(["registry.example.com:5000/team/docs", "registry.example.com/team/docs-other", "docker.io/library/nginx:1"])(
  "an image of another repository passes: %s",
  (name) => {
    expect(verify("-name", name, "-digest", digest, "-stdin-media-type", "x")).toEqual({ status: 0, stdout: "" });
  },
);
