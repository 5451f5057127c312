import type { EngineStack, Run } from "../../support/engineStack";

/** The operations on our resources that change, by the name of each resource. */
export type Operations = Record<string, string>;

/** A preview with a saved plan: its operations, and its result. */
export async function previewWithPlan(stack: EngineStack): Promise<{ run: Run; shown: Operations }> {
  const run = await stack.pulumi("preview", "--save-plan", "plan.json");
  return { run, shown: operationsOf(run) };
}

/** A run that the engine holds to the plan of an earlier preview: its operations, and its result. */
export async function upWithPlan(stack: EngineStack): Promise<{ run: Run; done: Operations }> {
  const run = await stack.up("--plan", "plan.json");
  return { run, done: operationsOf(run) };
}

const step = /^ *(\+|~|-|\+\+|\+-|--) +\S*docs-platform\S* (\w+) /gm;
const names: Record<string, string> = { "+": "create", "~": "update", "-": "delete" };

/**
 * Takes the first of several steps of one resource. The delete of an object that an earlier run has replaced comes
 * later.
 */
function operationsOf({ output }: Run): Operations {
  const steps = [...output.matchAll(step)].map(([, sign = "", name]) => [name, names[sign] ?? "replace"]);
  return Object.fromEntries(steps.reverse());
}
