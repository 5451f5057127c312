import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { version } from "./plugins/release";

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

const plugin = `### The plugin

\`\`\`sh
pulumi plugin install resource docs-platform ${version} --file <archive>
\`\`\`

The tests of every build run \`linux-amd64\` and \`node\` (for machines with Node.js) on the engine, and those of a release run \`linux-arm64\`
under an emulator. Of the other archives, format and signature are checked. \`sha256sum --check --ignore-missing SHA256SUMS\` checks what
was downloaded. On Linux the executables need libstdc++ and libatomic (Debian: \`libstdc++6\`, \`libatomic1\`). Those of macOS are signed
ad hoc, and those of Windows not at all.
`;

/** `npm run release:notes`: prints the notes that are published with a release. */
if (require.main === module) {
  console.log(`${releaseNotes(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8"), version)}\n\n${plugin}`);
}
