import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { pluginRelease, version } from "./plugins/release";
import { type Target, targets } from "./plugins/target";

/**
 * The section of the changelog on one version, without its heading.
 * @throws Error where the changelog has no such section.
 */
export function releaseNotes(changelog: string, version: string): string {
  const [, rest] = changelog.split(new RegExp(`^## ${version.replaceAll(".", "\\.")} - .*\\n`, "m"));
  if (rest === undefined) {
    throw new Error(`the changelog has no section on ${version}`);
  }
  return rest.split(/^## /m)[0]?.trim() ?? "";
}

/** The archives that the tests run. For the others they check the structure only. */
const howTested: Readonly<Record<string, string>> = {
  "linux-amd64": "run on the engine by the tests of every build",
  "linux-arm64": "run under an emulator before the release",
  "windows-arm64": "not run: it holds the executable of `windows-amd64`, which Windows 11 runs",
};
const structureOnly = "not run: format and signature are checked";

/** The part of the release notes on the plugin: how to install it, and how each archive was tested. */
export function pluginNotes(): string {
  const row = (target: Target) =>
    `| \`${pluginRelease.archive(version, target)}\` | ${target.node.version} | ${howTested[target.name] ?? structureOnly} |`;
  return `### The plugin

\`\`\`sh
pulumi plugin install resource docs-platform ${version} --file <archive>
\`\`\`

| archive | Node.js inside | tested |
|---|---|---|
${targets.map(row).join("\n")}
| \`pulumi-resource-docs-platform-v${version}-node.tar.gz\` | none: that of the machine | run on the engine by the tests of every build |

\`sha256sum --check --ignore-missing SHA256SUMS\` checks what was downloaded. On Linux the executables need libstdc++ and libatomic
(Debian: \`libstdc++6\`, \`libatomic1\`). Those of macOS are signed ad hoc, and those of Windows not at all.
`;
}

/** `npm run release:notes`: prints the notes that are published with a release. */
if (require.main === module) {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  console.log(`${releaseNotes(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8"), version)}\n\n${pluginNotes()}`);
}
