import { releaseFacts } from "./facts";
import { releaseProblems } from "./problems";

/** `npm run release:check`: says what stands against a release of what is checked out. */
async function main(): Promise<void> {
  const facts = await releaseFacts();
  const problems = releaseProblems(facts);
  console.log(problems.length === 0 ? `${facts.version} can be published: npm publish` : problems.join("\n"));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

void main();
