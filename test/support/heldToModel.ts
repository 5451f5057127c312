import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { campaign } from "./campaign";
import { noteLines } from "./campaignResults";

interface Held {
  /** The engine, place and number of a schedule. */
  name: string;
  /** When the schedule began; milliseconds since the epoch. */
  begin: number;
  /** The outcomes of its runs, as far as both can tell them. */
  real: readonly object[];
  model: readonly object[];
  /** The runs with what they have printed, for a failure. */
  story: readonly string[];
}

/** Expects the outcome of the model. The campaign notes each verdict, since a time limit may cut off a long series. */
export function expectAsInModel({ name, begin, real, model, story }: Held): void {
  if (campaign) {
    const seconds = ((Date.now() - begin) / 1_000).toFixed(1);
    const verdict = isDeepStrictEqual(real, model) ? "as in the model" : "another outcome";
    noteLines([`held to ${name}: ${model.length} runs, ${verdict}, ${seconds} s`]);
  }
  expect(real, story.join("\n")).toEqual(model);
}
