import { releaseFacts } from "./facts";
import { releaseProblems } from "./problems";

/** `npm run release:check`: prints what stands against a release of the working copy. */
async function main(): Promise<void> {
  const facts = await releaseFacts();
  const problems = releaseProblems(facts);
  console.log(problems.length === 0 ? `${facts.version} can be published: npm publish` : problems.join("\n"));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

void main();
