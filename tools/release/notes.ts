import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { fingerprintIn } from "./openPgpKey";
import { projectAddress, version } from "./plugins/release";

/** @throws Error if the changelog has no section about this version. */
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
under an emulator. Of the other archives, format and signature are checked. On Linux the executables need libstdc++ and libatomic (Debian: \`libstdc++6\`, \`libatomic1\`). Those of macOS are signed
ad hoc, and those of Windows not at all.`;

/** @throws Error if the page SECURITY.md (`security`) names no fingerprint yet. */
export function signatureNotes(security: string): string {
  const fingerprint = fingerprintIn(security);
  if (fingerprint === undefined) {
    throw new Error("SECURITY.md names no fingerprint of the key that signs releases");
  }
  return `### Signatures

\`SHA256SUMS.sig\` is made by the key \`${fingerprint}\`. Take this fingerprint from
[SECURITY.md](${projectAddress}/blob/main/SECURITY.md#how-to-verify-a-release), and [check the download](${projectAddress}/blob/main/docs/guides/verify-release.md).`;
}

/** `npm run release:notes`: prints the notes that are published with a release. */
if (require.main === module) {
  const read = (name: string) => readFileSync(join(projectRoot, name), "utf8");
  const parts = [releaseNotes(read("CHANGELOG.md"), version), plugin, signatureNotes(read("SECURITY.md"))];
  console.log(parts.join("\n\n"));
}
