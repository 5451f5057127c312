import type { EngineStack, Run } from "../../support/engineStack";

/** What happens to each resource of ours that does not stay as it is, by its name. */
export type Operations = Record<string, string>;

/** A preview whose plan is saved: what it shows, and how it ended. */
export async function previewWithPlan(stack: EngineStack): Promise<{ run: Run; shown: Operations }> {
  const run = await stack.pulumi("preview", "--save-plan", "plan.json");
  return { run, shown: operationsOf(run) };
}

/** A run that the engine holds to the plan of the preview before: what it does, and how it ended. */
export async function upWithPlan(stack: EngineStack): Promise<{ run: Run; done: Operations }> {
  const run = await stack.up("--plan", "plan.json");
  return { run, done: operationsOf(run) };
}

const step = /^ *(\+|~|-|\+\+|\+-|--) +\S*docs-platform\S* (\w+) /gm;
const names: Record<string, string> = { "+": "create", "~": "update", "-": "delete" };

/** Of several steps of one resource the first: what an earlier run has replaced, and left to this one, is deleted after it. */
function operationsOf({ output }: Run): Operations {
  const steps = [...output.matchAll(step)].map(([, sign = "", name]) => [name, names[sign] ?? "replace"]);
  return Object.fromEntries(steps.reverse());
}
