import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pack } from "../../../test/package/installedProject";
import { runTool } from "../../../tools/processes/runTool";
import { projectRoot } from "../../../tools/projectRoot";
import { findPulumi } from "../../../tools/toolchain/findPulumi";
import type { Cluster } from "../cluster";
import { debianFolder } from "../debianFolder";

/** The example whose image and manifests are tested. */
export const example = join(projectRoot, "examples", "kubernetesJobs");

/** Builds the image that the README of the example describes, with the package as a registry would serve it. */
export async function makeStacksImage({ images, caFile }: Cluster): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-image-"));
  try {
    const place = "/etc/company";
    const authority = join(place, basename(caFile));
    return await images.make("stacks", {
      layers: [
        {
          folder: await debianFolder("stacks", [
            "base-files",
            "ca-certificates",
            "coreutils",
            "dash",
            "grep",
            "libstdc++6",
          ]),
        },
        { folder: nodeFolder(join(folder, "node")), at: "/usr/local/bin" },
        { folder: await findPulumi(), at: "/usr/local/bin" },
        { folder: await projectFolder(folder), at: "/project", owner: 1000 },
        { folder: dirname(caFile), at: place },
      ],
      // The company's certificate authority, for Pulumi's backend and for the provider.
      environment: { SSL_CERT_FILE: authority, DOCS_PLATFORM_CA_FILE: authority },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nodeFolder(folder: string): string {
  mkdirSync(folder);
  copyFileSync(process.execPath, join(folder, "node"));
  chmodSync(join(folder, "node"), 0o755);
  return folder;
}

async function projectFolder(folder: string): Promise<string> {
  const project = join(folder, "project");
  cpSync(example, project, { recursive: true });
  const tarball = await pack(folder);
  const file = join(project, "package.json");
  const described = JSON.parse(readFileSync(file, "utf8"));
  described.dependencies["pulumi-docs-platform"] = `file:${tarball}`;
  writeFileSync(file, JSON.stringify(described));
  const install = ["install", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
  const { ok, problem } = await runTool("npm", install, { cwd: project });
  if (!ok) {
    throw new Error(`npm install: ${problem}`);
  }
  return project;
}
