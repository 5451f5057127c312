import { channels } from "./channels/channels";
import { Rehearsal } from "./channels/rehearsal";
import { version } from "./plugins/release";
import { workingCopyProblems } from "./releaseProblems";

/** `npm run release:check [-- <word> …]`: rehearses the channels whose names contain a word, by default all of them. */
async function main(words: readonly string[]): Promise<void> {
  const problems: string[] = [];
  const rows = [
    ["channel", "installed by", "version", "refused"],
    ["---", "---", "---", "---"],
  ];
  const rehearsal = await Rehearsal.start();
  try {
    for (const channel of channels.filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    )) {
      try {
        for (const { client, version, refused } of await channel.rehearse(rehearsal)) {
          rows.push([channel.name, client, version, refused.join("; ")]);
        }
      } catch (error) {
        rows.push([channel.name, "failed", "", ""]);
        problems.push(`channel: ${channel.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await rehearsal.close();
  }
  problems.push(...(await workingCopyProblems()));
  console.log(rows.map((row) => `| ${row.join(" | ")} |`).join("\n"));
  console.log(problems.length === 0 ? `\n${version} can be published: push its tag` : `\n${problems.join("\n")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
