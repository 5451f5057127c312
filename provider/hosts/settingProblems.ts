import { journalProblem } from "../journal/openJournal";
import type { Problem, Settings } from "../support/settings";

/** What is wrong with the settings, as far as it shows without a request: a preview tells it. */
export function settingProblems(read: Settings | Problem[]): readonly Problem[] {
  if (Array.isArray(read)) {
    return read;
  }
  const problem = journalProblem(read.journal);
  return problem === undefined ? [] : [problem];
}
